/// What Lua holds of an object that it holds weakly.
final class WeakHolder {
  private(set) weak var object: AnyObject?
  /// The name of the class, for the message about an object that is gone.
  let type: String
  private let key: ObjectIdentifier
  private let holders: WeakHolders

  fileprivate init(_ object: AnyObject, of type: String, in holders: WeakHolders) {
    self.object = object
    self.type = type
    self.holders = holders
    key = ObjectIdentifier(object)
  }

  deinit { holders.forget(key) }
}

/// The holders of objects that Lua holds weakly. An object has one as long as Lua holds it, so that
/// it has one userdata. Used only by the thread that uses the VM.
final class WeakHolders {
  private struct Reference {
    weak var holder: WeakHolder?
  }

  private var references: [ObjectIdentifier: Reference] = [:]

  /// The holder of an object. O(1).
  func holder(of object: AnyObject, _ type: String) -> WeakHolder {
    let key = ObjectIdentifier(object)
    // A new object may have the address of one that is gone, whose holder Lua still holds.
    if let holder = references[key]?.holder, holder.object === object { return holder }
    let holder = WeakHolder(object, of: type, in: self)
    references[key] = Reference(holder: holder)
    return holder
  }

  /// Forgets a holder that is being deallocated, unless the object's address has a new one.
  fileprivate func forget(_ key: ObjectIdentifier) {
    if let reference = references[key], reference.holder == nil { references[key] = nil }
  }
}
