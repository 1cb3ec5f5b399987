import LuaBridge

/// The identity of a shared value: the kind and the name of its key. Only this type makes and reads the text, but for `statusOf`
/// in `sharing.lua`, which names a status by it.
struct SharedIdentity: Hashable, Sendable {
  /// The key of the value in the object of all shared values.
  let text: String

  init(_ text: String) { self.text = text }

  /// - Parameter owner: the number of the store that has the value to itself.
  init(_ kind: SharedKey.Kind, _ name: String, owner: UInt64? = nil) {
    text = "\(kind.rawValue):\(name)\(owner.map { "#\($0)" } ?? "")"
  }

  /// The identity of the shared value that has the status of this stored value.
  var status: SharedIdentity { SharedIdentity(.status, text) }

  /// The value that counts as used while this one is: for a status the value that has it, else this one.
  var used: SharedIdentity { kind == .status ? SharedIdentity(name) : self }

  /// Nil for the value behind a field for which a function has chosen no key.
  var kind: SharedKey.Kind? { SharedKey.Kind(rawValue: String(text[..<colon])) }

  /// The name that the script gave the key; of a status the text of its value's identity.
  var name: String {
    let name = text[colon...].utf8.dropFirst()
    guard kind == .inherited, let owner = name.lastIndex(of: UInt8(ascii: "#")) else {
      return String(Substring(name))
    }
    return String(Substring(name[..<owner]))
  }

  /// The end of the kind. By bytes: a colon before a combining character is not the `Character` ":".
  private var colon: String.Index {
    text.utf8.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
  }

  /// The name of the file that has the value; nil for a value that is in no file.
  var file: String? {
    switch kind {
    case .appStorage: SharedKey.appStorageFile
    case .fileStorage: name
    default: nil
    }
  }
}

/// The key as scripts write it. A status is that of its value: `appStorage "seen":status()`.
extension SharedIdentity: CustomStringConvertible {
  var description: String {
    guard let kind else { return text }
    return kind == .status ? "\(used):status()" : "\(kind.rawValue) \(Value.string(name))"
  }
}

extension SharedFields.Target {
  var identity: SharedIdentity { SharedIdentity(value) }
}

extension Value.Object {
  /// The shared value with this identity, in the object of all.
  subscript(_ identity: SharedIdentity) -> Value? {
    get { self[identity.text] }
    set { self[identity.text] = newValue }
  }
}
