import LuaBridge

/// A failure of a ``SharedStorage``.
public struct SharedStorageError: Error, Sendable, Hashable {
  /// For programs: `denied`, `full`, `tooLarge`, `isFolder`, `link` or another.
  public let code: String
  /// For people: `No space left on device`.
  public let message: String

  public init(code: String, message: String) {
    self.code = code
    self.message = message
  }
}

extension SharedStorageError {
  /// Two rows of a table have one id.
  package static func doubled(_ id: Value) -> SharedStorageError {
    SharedStorageError(
      code: "invalid", message: "two rows have the id \(id); give each row an id of its own")
  }

  /// Another program has written another version than the value has that is in use.
  static func otherVersion(_ version: Int, than ours: Int) -> SharedStorageError {
    let isNewer = version > ours
    return SharedStorageError(
      code: isNewer ? "newer" : "migration",
      message: "another program has written version \(version), and the value has version \(ours)"
        + (isNewer ? "" : "; it is migrated at the next start"))
  }

  /// The failure whose fields a status or a script has; nil if there are none.
  init?(fields: Value) {
    guard let fields = fields.object else { return nil }
    self.init(
      code: fields["code"]?.string ?? "failed", message: fields["message"]?.string ?? "")
  }

  /// The error that `key:load()` and `key:save()` raise.
  ///
  /// - Parameter path: the file, or the name of a custom key.
  func raised(for path: String) -> ScriptError {
    ScriptError(
      message,
      value: ["code": .string(code), "message": .string(message), "path": .string(path)])
  }
}

/// What `key:load()` and `key:save()` ask for, and what may fail.
enum SharedOperation: String {
  case load, save
  /// The field of a status that has the failure.
  var errorField: String { "\(rawValue)Error" }
}
