import LuaBridge

/// An operator with one child, as a script or Swift describes it.
///
/// A class, because the compiler recurses: each level must take little of the stack.
final class ChildOperator {
  let base: ReducerSource
  let child: ReducerSource
  /// The path of the child's state; empty if a script's functions compute that.
  let path: [String]
  /// A script's functions in place of the path; for `scope` only.
  let functions: (get: Handler, set: Handler)?
  /// The type of the child's actions.
  let action: String
  /// The key of an element's id; for `forEach` only.
  let idKey: String
  let origin: String

  init(
    base: Reducer, child: Reducer, path: [String], action: String, idKey: String, origin: String
  ) {
    self.base = .swift(base)
    self.child = .swift(child)
    self.path = path
    functions = nil
    self.action = action
    self.idKey = idKey
    self.origin = origin
  }

  /// Reads a script's description.
  init(_ description: LuaTable, _ origin: String) throws(ScriptError) {
    base = try description.base(origin)
    child = .lua(try description.get("child"))
    path = try description.string("key").map(Reducer.path) ?? []
    if path.isEmpty {
      guard let get = try description.handler("get"), let set = try description.handler("set")
      else { throw ScriptError("\(origin) has neither a key nor functions") }
      functions = (get, set)
    } else {
      functions = nil
    }
    action = try description.string("action") ?? ""
    idKey = try description.string("id") ?? "id"
    self.origin = origin
  }
}

extension Reducer {
  /// `self` with an operator that runs `child` on the state at `path`.
  ///
  /// - Parameters:
  ///   - action: the type of the child's actions; by default the last segment of `path`.
  ///   - compile: the operator's function in the compiler.
  func attaching(
    _ child: Reducer, at path: [String], action: String?, id: String = "id", origin: String,
    _ compile:
      @escaping @Sendable (ReducerCompiler) -> (ChildOperator, inout DomainBuilder)
      throws(ScriptError) -> ReducerNode
  ) -> Reducer {
    Reducer(origin: origin) { (compiler, builder) throws(ScriptError) in
      let parts = ChildOperator(
        base: self, child: child, path: path, action: action ?? path[path.count - 1], idKey: id,
        origin: origin)
      return try compile(compiler)(parts, &builder)
    }
  }
}
