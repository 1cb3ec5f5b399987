import ScriptValue

/// An argument of a handler. Callers pass no more arguments than the handler declares.
package enum HandlerArgument {
  /// A draft of the running action, by its index in the arena.
  case draft(Int32)
  /// A read-only value (+0), which the caller retains during the call.
  case view(Slot)
  /// A scalar or nil (+0).
  case scalar(Slot)
  /// A plain table of scalars (+0) with the indices 1 … n.
  case list([Slot])
  /// A Lua value by its registry reference.
  case reference(LuaReference)
}

/// The result of a handler.
package enum HandlerResult {
  case none
  /// A Swift object in a box of kind `SL_BOX_EFFECT` (a ``BoxedEffect``).
  case effect(AnyObject)
  /// The result of `effect.run`.
  case run(ScriptRun)
  /// Any other value, by the name of its type.
  case other(String)

  /// The name of the type, for messages; nil for nothing.
  var typeName: String? {
    switch self {
    case .none: nil
    case .effect, .run: "effect"
    case .other(let type): type
    }
  }
}

/// A script function that the store calls with drafts, and where it is defined.
package final class Handler {
  package let function: LuaFunction
  /// The number of declared parameters; nil for a function with `...`.
  package let parameters: Int?
  package let script: String
  package let line: Int
  let slot: Int32

  package init(_ function: LuaFunction) {
    self.function = function
    slot = function.slot
    let definition = function.definition()
    parameters = definition.map(\.parameters) ?? nil
    script = definition?.script ?? "?"
    line = definition?.line ?? 0
  }

  /// Whether the handler declares an n-th parameter, from 1.
  @inline(__always)
  package func takes(_ position: Int) -> Bool { parameters.map { $0 >= position } ?? true }
}
