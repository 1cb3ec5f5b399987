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

extension Reducer {
  /// Compiles a reducer into a node. This is how an operator in Swift describes itself.
  typealias Compile =
    @Sendable (ReducerCompiler, inout DomainBuilder) throws(ScriptError) -> ReducerNode

  init(origin: String, _ compile: @escaping Compile) {
    self.init(.compiled(by: compile), origin: origin)
  }
}
