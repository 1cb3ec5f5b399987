import LuaBridge

extension Reducer {
  /// `self` for a child whose state may be absent. An action that arrives while it is absent is a
  /// runtime warning that names this operator. This was `optional` in TCA before 1.0, where it
  /// stood before `pullback`.
  public func optional(file: StaticString = #fileID, line: UInt = #line) -> Reducer {
    let origin = "optional at \(file):\(line)"
    return Reducer(origin: origin) { (compiler, builder) throws(ScriptError) in
      try compiler.optional(.swift(self), origin, &builder)
    }
  }
}

extension ReducerCompiler {
  /// Compiles `base` itself. The origin is what a scope's warning about an absent child names.
  func optional(
    _ base: ReducerSource, _ origin: String, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    builder.optional = origin
    return try compile(base, &builder)
  }
}
