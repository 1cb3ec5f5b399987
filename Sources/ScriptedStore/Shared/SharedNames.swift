import LuaBridge
import Synchronization

/// The names of the keys of a host, and which of them cannot be told apart.
///
/// Some file systems, as that of macOS, take two names for one file if these differ only by case or by
/// their Unicode form. So the names of stored values may not differ in that way alone, on any system.
/// Two forms of one name are refused for all keys, because Swift takes them for equal strings, and the
/// object of all values for two keys.
final class SharedNames: Sendable {
  private typealias Owner = (name: String, origin: String)

  /// The name and the script line of the first key of each folded identity.
  private let owners = Mutex<[String: Owner]>([:])
  /// ``Limits/sharedKeys``.
  private let most: Int

  init(most: Int?) { self.most = most ?? .max }

  /// Whether there may be no further key.
  var isFull: Bool { owners.withLock { $0.count >= most } }

  /// Equal for names that cannot be told apart, and for the identities of keys with such names.
  static func folded(_ name: String, isStored: Bool) -> String {
    isStored ? name.lowercased() : name
  }

  /// Reserves the name of a key. Throws if a key with a name that cannot be told apart has come before,
  /// or if there are too many keys.
  func reserve(_ key: SharedKey) throws(ScriptError) {
    guard key.kind.hasStatus || key.kind == .inMemory else { return }
    if key.kind == .fileStorage, key.name.lowercased() == SharedKey.appStorageFile {
      throw ScriptError(
        """
        \(key.origin): the file '\(key.name)' is the one in which all appStorage keys are stored; give the file of this key \
        another name
        """)
    }
    let new: Owner = (key.name, key.origin)
    let folded = SharedNames.folded(key.identity.text, isStored: key.isStored)
    let first: Owner? = owners.withLock { owners in
      if let first = owners[folded] { return first }
      if owners.count >= most { return nil }
      owners[folded] = new
      return new
    }
    guard let first else {
      throw ScriptError(
        "\(key.origin): the shared value '\(key.name)' is one more than the host's limit of \(most) keys (`sharedKeys`); put what belongs together into one value"
      )
    }
    guard !first.name.utf8.elementsEqual(key.name.utf8) else { return }
    throw ScriptError(
      """
      the shared values '\(first.name)' at \(first.origin) and '\(key.name)' at \(key.origin) have names that differ only by \
      \(key.isStored ? "case or Unicode form, which some file systems take for one" : "Unicode form"); give one of the two \
      keys another name
      """)
  }

  /// Frees the name of the key with this identity.
  func release(_ identity: SharedIdentity) {
    let folded = SharedNames.folded(identity.text, isStored: identity.kind?.isStored == true)
    _ = owners.withLock { $0.removeValue(forKey: folded) }
  }
}
