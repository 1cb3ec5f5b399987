/// An expression of a script. Names are resolved: what is left of statements is who declares and assigns what.
final class LuaExpression {
  enum Kind {
    case string(String)
    case varargs
    case function(LuaFunctionBody)
    case local(LuaVariable)
    case global(String)
    case index(LuaExpression, key: LuaExpression)
    case call(LuaExpression, [LuaExpression])
    /// `receiver:name(…)`
    case method(LuaExpression, String, [LuaExpression])
    case table([(key: LuaExpression?, value: LuaExpression)])
    /// An operator with its operands, or a constant without.
    case other([LuaExpression])
  }

  let kind: Kind
  let position: SourcePosition
  /// Where the arguments of a call begin, or the key of an index is: Lua says one or the other of a line that calls.
  let detail: SourcePosition
  /// The function that it is in.
  let function: LuaFunctionBody
  /// What an assignment assigns to.
  var isAssigned = false

  init(
    _ kind: Kind, _ position: SourcePosition, detail: SourcePosition? = nil,
    in function: LuaFunctionBody
  ) {
    self.kind = kind
    self.position = position
    self.detail = detail ?? position
    self.function = function
  }

  var string: String? {
    if case .string(let text) = kind { text } else { nil }
  }

  /// The value of a table's field.
  func field(_ name: String) -> LuaExpression? {
    guard case .table(let fields) = kind else { return nil }
    return fields.last { $0.key?.string == name }?.value
  }

  /// Itself, and the expressions that it is made of; not those in the bodies of functions.
  func visit(_ body: (LuaExpression) -> Void) {
    body(self)
    switch kind {
    case .string, .varargs, .function, .local, .global: break
    case .index(let base, let key):
      base.visit(body)
      key.visit(body)
    case .call(let callee, let arguments):
      callee.visit(body)
      for argument in arguments { argument.visit(body) }
    case .method(let receiver, _, let arguments):
      receiver.visit(body)
      for argument in arguments { argument.visit(body) }
    case .table(let fields):
      for field in fields {
        field.key?.visit(body)
        field.value.visit(body)
      }
    case .other(let operands):
      for operand in operands { operand.visit(body) }
    }
  }
}

/// A local variable, a parameter included.
final class LuaVariable {
  let name: String
  /// What it is declared with.
  var initial: LuaExpression?
  /// Whether something is assigned to it later.
  var isAssigned = false

  init(_ name: String) { self.name = name }

  /// What it always stands for, if that is known.
  var constant: LuaExpression? { isAssigned ? nil : initial }
}

/// A function in a script, or the script itself.
final class LuaFunctionBody {
  let parent: LuaFunctionBody?
  var parameters: [LuaVariable] = []

  init(in parent: LuaFunctionBody?) { self.parent = parent }

  /// Itself and those that it is in, from the inside out.
  var enclosing: UnfoldFirstSequence<LuaFunctionBody> { sequence(first: self) { $0.parent } }
}

/// What a script says, in the order of its text.
struct LuaChunk {
  let body = LuaFunctionBody(in: nil)
  /// Names that no declaration is there for, with the names of the locals that are.
  var globals: [(expression: LuaExpression, locals: [String])] = []
  /// The names of all locals.
  var locals: Set<String> = []
  var calls: [LuaExpression] = []
  var indexes: [LuaExpression] = []
  /// Texts, but for the keys of tables.
  var strings: [String] = []
  /// The script looks at `...`, which is what it gets as a stub.
  var usesArguments = false
}
