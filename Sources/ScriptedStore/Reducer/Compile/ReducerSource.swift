import LuaBridge

/// A reducer that is to be compiled. Operators of scripts and of Swift compile the same way, because
/// both pass their parts in this form.
enum ReducerSource {
  /// A reducer of a script, or a function that returns one.
  case lua(LuaValue)
  case swift(Reducer)
  /// The base of a script's operator that stands alone, with that operator's origin.
  case empty(origin: String)
}

/// An operator with one child, as a script or Swift describes it.
///
/// A class, because the compiler recurses: each level must take little of the stack.
final class ChildOperator {
  let base: ReducerSource
  let child: ReducerSource
  /// The path of the child's state.
  let path: [String]
  /// The type of the child's actions.
  let action: String
  let origin: String

  init(
    base: ReducerSource, child: ReducerSource, path: [String], action: String, origin: String
  ) {
    self.base = base
    self.child = child
    self.path = path
    self.action = action
    self.origin = origin
  }

  /// Reads a script's description.
  init(_ description: LuaTable, _ origin: String) throws(ScriptError) {
    base = try description.base(origin)
    child = .lua(try description.get("child"))
    path = try description.string("key").map(Reducer.path) ?? []
    action = try description.string("action") ?? ""
    self.origin = origin
  }
}

extension Reducer {
  /// Compiles a reducer into a node. This is how an operator in Swift describes itself.
  typealias Compile =
    @Sendable (ReducerCompiler, inout DomainBuilder) throws(ScriptError) -> ReducerNode

  init(origin: String, _ compile: @escaping Compile) {
    self.init(.compiled(by: compile), origin: origin)
  }

  /// `self` with an operator that runs `child` on the state at `path`.
  ///
  /// - Parameter action: the type of the child's actions; by default the last segment of `path`.
  func attaching(
    _ child: Reducer, at path: [String], action: String?, origin: String,
    _ compile:
      @escaping @Sendable (ReducerCompiler, ChildOperator, inout DomainBuilder)
      throws(ScriptError) -> ReducerNode
  ) -> Reducer {
    Reducer(origin: origin) { (compiler, builder) throws(ScriptError) in
      let parts = ChildOperator(
        base: .swift(self), child: .swift(child), path: path,
        action: action ?? path[path.count - 1], origin: origin)
      return try compile(compiler, parts, &builder)
    }
  }
}
