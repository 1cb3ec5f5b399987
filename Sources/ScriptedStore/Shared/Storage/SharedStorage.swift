import Synchronization

/// Where a host stores the shared values that are to outlive it.
///
/// It holds bytes under names, which are relative paths of files: `settings.json`, `a/b.json`. All
/// functions may block. They are called on any thread, for one name by one thread at a time.
/// `FolderStorage` of ScriptedStoreFiles stores them as files of a folder.
public protocol SharedStorage: Sendable {
  /// The bytes under a name; nil if there are none.
  func read(_ name: String) throws(SharedStorageError) -> [UInt8]?
  /// Replaces the bytes under a name. After an error, a kill or a power failure, the old bytes or the
  /// new ones are there.
  func replace(_ name: String, with bytes: [UInt8]) throws(SharedStorageError)
  /// Appends to the bytes under a name. When it returns, the bytes outlive the process. Actions wait for
  /// it.
  func append(_ bytes: [UInt8], to name: String) throws(SharedStorageError)
  /// Returns when what was appended under a name outlives a power failure. Actions wait for it, if their
  /// key has `durability = "power"`. By default it does nothing.
  func synchronize(_ name: String) throws(SharedStorageError)
  /// Gives the bytes under a name another name, and replaces what is there. Does nothing if there are
  /// none.
  func move(_ name: String, to other: String) throws(SharedStorageError)
  /// Removes the bytes under a name, if there are any.
  func remove(_ name: String) throws(SharedStorageError)

  // What follows is for a storage that several processes use. By default there is one.

  /// Whether this was the first of the objects that use the same place now. Only the first one has
  /// journals.
  var isFirst: Bool { get }
  /// Calls `body` while no other process does the same. Throws `locked` if that takes too long.
  func alone(_ body: () throws(SharedStorageError) -> Void) throws(SharedStorageError)
  /// Whether the bytes under a name may be others than this object read or replaced last.
  func mayHaveChanged(_ name: String) -> Bool
  /// Calls `handler` with names whose bytes others have replaced or removed, until this object is
  /// released. Called once.
  func watch(_ handler: @escaping @Sendable (_ name: String) -> Void)
  /// The host does not use a name any more, so nothing has to be known about it. By default it does nothing.
  func forget(_ name: String)
}

extension SharedStorage {
  public func synchronize(_ name: String) {}
  public var isFirst: Bool { true }
  public func alone(_ body: () throws(SharedStorageError) -> Void) throws(SharedStorageError) {
    try body()
  }
  public func mayHaveChanged(_ name: String) -> Bool { false }
  public func watch(_ handler: @escaping @Sendable (_ name: String) -> Void) {}
  public func forget(_ name: String) {}
}

/// A storage that ends with the process.
public final class MemoryStorage: SharedStorage {
  private let contents = Mutex<[String: [UInt8]]>([:])

  public init() {}

  public func read(_ name: String) -> [UInt8]? { contents.withLock { $0[name] } }

  public func replace(_ name: String, with bytes: [UInt8]) {
    contents.withLock { $0[name] = bytes }
  }

  public func append(_ bytes: [UInt8], to name: String) {
    contents.withLock { $0[name, default: []] += bytes }
  }

  public func move(_ name: String, to other: String) {
    contents.withLock { contents in
      if let bytes = contents.removeValue(forKey: name) { contents[other] = bytes }
    }
  }

  public func remove(_ name: String) { _ = contents.withLock { $0.removeValue(forKey: name) } }
}

extension SharedStorage where Self == MemoryStorage {
  /// A new storage that ends with the host.
  public static var memory: MemoryStorage { MemoryStorage() }
}
