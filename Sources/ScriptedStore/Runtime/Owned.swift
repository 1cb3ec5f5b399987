import LuaBridge

/// An object that its owner lends without counting references.
struct Owned<Object: AnyObject> {
  let object: Object
  private let link: Unmanaged<Object>

  init(_ object: Object) {
    self.object = object
    link = .passUnretained(object)
  }

  /// Calls `body` with the object without reference counting. The owner must not replace the object meanwhile.
  @inline(__always)
  func borrow<R>(_ body: (Object) -> R) -> R { link._withUnsafeGuaranteedRef(body) }
}

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
