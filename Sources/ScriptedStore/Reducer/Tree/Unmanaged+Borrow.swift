import LuaBridge

extension Unmanaged {
  /// Calls `body` with the instance without reference counting. Something else must retain the
  /// instance until `body` returns.
  @inline(__always)
  func borrow<R>(
    _ body: (Instance) throws(ScriptError) -> R
  ) throws(ScriptError) -> R {
    do {
      return try _withUnsafeGuaranteedRef { try body($0) }
    } catch {
      throw ScriptError(ofBorrower: error)
    }
  }
}

extension ScriptError {
  @inline(never)
  fileprivate init(ofBorrower error: any Error) {
    self = error as? ScriptError ?? ScriptError("\(error)", cause: error)
  }
}
