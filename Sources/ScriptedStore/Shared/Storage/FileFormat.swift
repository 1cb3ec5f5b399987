import LuaBridge

/// How the text of a file with shared values is made and read. A new format is a case here and an option in `sharing.lua`.
///
/// The journal of a file has changes of values, whatever the format is (``SharedJournal``).
enum FileFormat: Sendable {
  /// The value as JSON: the file of all `appStorage` keys, each field of which is a key.
  case json
  /// The same, with a version where it needs one (``VersionedValue``).
  case versionedJSON
  /// The key's functions `encode(value)` and `decode(text)` make the text and read it.
  ///
  /// They are functions of a VM, so a thread calls them only inside the worker of that VM. The first text is decoded
  /// where a store is made. Later the thread that writes files has to wait for no worker, so that a worker may wait
  /// for it: a file with a script's format is written inside the worker that has its key (``SharedFiles``).
  case script

  /// The format that a key of a kind has, by its description.
  init(of kind: SharedKey.Kind, _ description: LuaTable) throws(ScriptError) {
    if try description.function("encode") != nil {
      self = .script
    } else {
      self = kind == .fileStorage ? .versionedJSON : .json
    }
  }

  /// Whether only a thread inside the worker with the key can make and read texts.
  var needsWorker: Bool { self == .script }

  /// Which options a key with the format has, for errors.
  var options: String {
    switch self {
    case .json, .versionedJSON: "no `encode` and `decode`"
    case .script: "`encode` and `decode`"
    }
  }

  /// The value of a text. Nil if it says none: an empty JSON file may be one that is being written.
  ///
  /// - Parameter key: has the functions of a script's format. The thread is inside its worker then.
  func value(of text: [UInt8], as key: SharedKey?) throws(SharedStorageError) -> VersionedValue? {
    switch self {
    case .json:
      try FileFormat.parsed(text).map { VersionedValue(value: $0) }
    case .versionedJSON:
      try FileFormat.parsed(text).map { VersionedValue(read: $0) }
    case .script:
      VersionedValue(value: try FileFormat.decoded(text, by: key))
    }
  }

  /// The text of a value. The parameters are those of ``value(of:as:)``.
  func text(of value: VersionedValue, as key: SharedKey?) throws(SharedStorageError) -> [UInt8] {
    switch self {
    case .json: FileFormat.printed(value.value)
    case .versionedJSON: FileFormat.printed(value.written)
    case .script: try FileFormat.encoded(value.value, by: key)
    }
  }

  // MARK: JSON

  private static func parsed(_ text: [UInt8]) throws(SharedStorageError) -> Value? {
    if text.isEmpty { return nil }
    do throws(JSONError) {
      return try Value(json: text)
    } catch {
      throw SharedStorageError(
        code: "broken", message: "line \(error.line), column \(error.column): \(error.message)")
    }
  }

  private static func printed(_ value: Value) -> [UInt8] {
    var text: [UInt8] = []
    value.appendJSON(to: &text, .pretty)
    return text + [UInt8(ascii: "\n")]
  }

  // MARK: A script's format

  private static func decoded(
    _ text: [UInt8], by key: SharedKey?
  ) throws(SharedStorageError) -> Value {
    guard let text = String(validating: text, as: UTF8.self) else {
      throw SharedStorageError(code: "decode", message: "it is not UTF-8, so decode cannot read it")
    }
    let made = try call("decode", of: key, .string(text))
    do throws(ScriptError) {
      if let value = try made.stateValue(named: "what decode returned") { return value }
    } catch {
      throw SharedStorageError(code: "decode", message: "\(error)")
    }
    throw SharedStorageError(
      code: "decode",
      message: "decode returned \(made.typeNameWithArticle), which is no value of state")
  }

  private static func encoded(
    _ value: Value, by key: SharedKey?
  ) throws(SharedStorageError) -> [UInt8] {
    let made = try call("encode", of: key, LuaValue(value))
    guard case .string(let text) = made else {
      throw SharedStorageError(
        code: "encode",
        message:
          "encode returned \(made.typeNameWithArticle); it must return the file's text, a string")
    }
    return Array(text.utf8)
  }

  private static func call(
    _ name: String, of key: SharedKey?, _ argument: LuaValue
  ) throws(SharedStorageError) -> LuaValue {
    guard let table = key?.table else { throw noKey }
    do throws(ScriptError) {
      return try table.vm.turn { () throws(ScriptError) in
        try table.function(.string(name))?.call([argument], tablesAsValues: true).at(0) ?? .nil
      }
    } catch {
      throw SharedStorageError(code: name, message: "\(error)")
    }
  }

  /// Why a file with a script's format can be neither read nor written.
  static let noKey = SharedStorageError(
    code: "closed",
    message: "no feature shares the key any more, whose functions read and make the file's text")
}

/// What the file of a `fileStorage` key says: a value, and the version of its shape.
///
/// There are two forms:
///
/// - plain: the value itself, whose version is 1.
/// - marked: an object with the two keys `$version`, an integer of 1 or more, and `$value`, and no other key.
///
/// A value of version 1 is written plain, unless it has the marked form itself: then it is marked with version 1. So each
/// value is read as it was written, whatever keys it has.
struct VersionedValue {
  let value: Value
  let version: Int

  init(value: Value, version: Int = 1) { (self.value, self.version) = (value, version) }

  init(read whole: Value) {
    if let object = whole.object, object.count == 2, let value = object["$value"],
      case .integer(let number)? = object["$version"], let version = Int(exactly: number),
      version >= 1
    {
      self.init(value: value, version: version)
    } else {
      self.init(value: whole)
    }
  }

  /// The plain form, if it is read as this value and version; else the marked one.
  var written: Value {
    let plain = VersionedValue(read: value)
    if version == 1, plain.version == 1, plain.value == value { return value }
    return .object(["$version": .integer(Int64(version)), "$value": value])
  }
}
