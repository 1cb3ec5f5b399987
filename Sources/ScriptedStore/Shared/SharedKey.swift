import LuaBridge

/// A key of `scripted.shared`: it says which shared value stands behind a field of a feature, and the
/// default of that value.
final class SharedKey {
  enum Kind: String {
    case inMemory
    /// Stored in a file of its own.
    case fileStorage
    /// Stored in a file together with all other keys of this kind.
    case appStorage
    /// Loaded and saved by functions of the script.
    case custom
    /// Stored in a table of a database.
    case database
    /// The loading and saving errors of a stored value; see ``SharedIdentity/status``.
    case status
    /// The value behind the field of this path in the nearest feature around; else a value of the
    /// store's own.
    case inherited

    var isStored: Bool { self == .fileStorage || self == .appStorage || self == .database }
    /// Whether values are loaded and saved, so that they have a status.
    var hasStatus: Bool { isStored || self == .custom }
  }

  let kind: Kind
  /// The name that the script gave; for ``Kind/inherited`` the path.
  let name: String
  let identity: SharedIdentity
  /// The part of the value that is meant: keys of objects and ids of elements.
  let part: [Value]
  /// Whether features may only read the value.
  let isReadOnly: Bool
  /// The script line that made the key.
  let origin: String
  /// The version of a stored value's shape.
  let version: Int
  /// Whether the journal gets each change of a stored value before observers and other stores see it.
  let hasJournal: Bool
  /// The shortest time between two writes of the file, in nanoseconds.
  let interval: UInt64
  /// Whether a custom key has the function `load`.
  let loads: Bool
  /// Whether the dependency with the name of a custom key loads and saves it (``Dependency/sharedKey(load:save:subscribe:)``).
  let isServed: Bool
  /// The description that the script's key stands for.
  let table: LuaTable
  /// The field of a row that is its id; for ``Kind/database``.
  let rowID: String
  /// Whether changes outlive a power failure before observers and other stores see them.
  let withstandsPowerFailure: Bool
  /// Whether only the first process that uses the file may write it.
  let isExclusive: Bool
  /// The format of the file of a stored value.
  let format: FileFormat
  private let databaseFile: String
  private let declared: LuaValue
  /// The script's functions `migrate(value, from)` and `check(value)`; nil if it has none.
  private let migration: LuaFunction?
  private let checking: LuaFunction?

  init(_ description: LuaTable) throws(ScriptError) {
    table = description
    name = try description.string("name") ?? ""
    kind = Kind(rawValue: try description.string("kind") ?? "") ?? .inMemory
    identity = SharedIdentity(kind, name)
    origin = try description.string("origin") ?? "?"
    isReadOnly = try description.get("readOnly").bool == true
    declared = try description.get("default")
    version = try description.get("version").int ?? 1
    let durability = try description.string("durability")
    hasJournal = durability != "exit"
    withstandsPowerFailure = durability == "power"
    isExclusive = try description.get("exclusive").bool == true
    rowID = try description.string("id") ?? "id"
    databaseFile = try description.string("file") ?? "app.db"
    interval = UInt64((try description.get("interval").double ?? 1) * 1_000_000_000)
    loads = try description.function("load") != nil
    isServed = try description.get("isServed").bool == true
    migration = try description.function("migrate")
    checking = try description.function("check")
    format = try FileFormat(of: kind, description)
    var part: [Value] = []
    for segment in try description.list("part") {
      if let value = Value(segment) { part.append(value) }
    }
    self.part = part
    if kind == .database, rowID != "id", !part.isEmpty {
      throw ScriptError(
        """
        \(origin): a key with `at` finds a row by its field 'id', and those of the table '\(name)' have their ids in \
        '\(rowID)'; share the whole table, and look for the row in it
        """)
    }
  }

  convenience init(argument: LuaValue) throws(ScriptError) {
    guard case .table(let description) = argument else {
      throw ScriptError("a key of a shared value is expected")
    }
    try self.init(description)
  }

  /// Whether a worker has to keep the key, because its functions are called later.
  var isKept: Bool { kind == .custom || format.needsWorker }

  var isStored: Bool { kind.isStored }

  /// The name of the file of a stored value.
  var fileName: String { identity.file ?? databaseFile }

  static let appStorageFile = "app-storage.json"

  /// The way to the value, or the part, in the object of all shared values.
  var path: [Value] { [.string(identity.text)] + part }

  /// The default that the script wrote down; nil if there is none, or if a function makes it.
  func plainDefault() throws(ScriptError) -> Value? {
    if case .function = declared { nil } else { try value(declared) }
  }

  /// The default. Calls the script's function if a function makes it.
  func firstValue() throws(ScriptError) -> Value? {
    guard case .function(let function) = declared else { return try value(declared) }
    return try value(function.call([], tablesAsValues: true).at(0))
  }

  /// A stored value of an older version, as the script's function makes it: what that returns or, if it
  /// returns nothing, what it made of its argument.
  func migrated(_ value: Value, from version: Int) throws(ScriptError) -> Value {
    guard let migration else {
      throw ScriptError(
        "it has version \(version), and the key has no function `migrate` that makes version \(self.version) of it"
      )
    }
    let made = try migration.call([LuaValue(value), .integer(Int64(version))]).at(0)
    guard let new = try made.stateValue(named: "what migrate returned") else {
      throw ScriptError("migrate returned \(made.typeNameWithArticle), which is no value of state")
    }
    try requireType(of: new, as: "what migrate has made")
    return new
  }

  /// A stored value as this key can use it, and whether it was migrated.
  ///
  /// - Throws: `newer`, `migration` or `invalid`.
  func adapted(
    _ stored: Value, from version: Int
  ) throws(SharedStorageError) -> (value: Value, isMigrated: Bool) {
    guard version <= self.version else {
      throw SharedStorageError(
        code: "newer",
        message: "it has version \(version), and the scripts know up to \(self.version)")
    }
    var value = stored
    if version < self.version {
      do throws(ScriptError) {
        value = try migrated(stored, from: version)
      } catch {
        throw SharedStorageError(code: "migration", message: "\(error)")
      }
    }
    do throws(ScriptError) {
      if kind == .database, value.array == nil {
        throw ScriptError("migrate returned no list of rows")
      }
      try requireType(of: value)
      try check(value)
    } catch {
      throw SharedStorageError(code: "invalid", message: "\(error)")
    }
    return (value, version < self.version)
  }

  /// Throws if a stored value has another type than the default that the script wrote down.
  ///
  /// - Parameter name: what the value is, for the error.
  func requireType(of value: Value, as name: String = "what is stored") throws(ScriptError) {
    try SharedKey.requireType(of: value, like: try plainDefault(), as: name)
  }

  static func requireType(
    of value: Value, like expected: Value?, as name: String
  ) throws(ScriptError) {
    guard let expected, expected != .null else { return }
    let (type, wanted) = (SharedKey.type(of: value), SharedKey.type(of: expected))
    // An empty table may be a list or an object.
    let tables = ["empty table", "array", "object"]
    // Null stands for no value. A feature whose default is a table looks into it without asking.
    if value == .null && !tables.contains(wanted) { return }
    let isEmpty = [type, wanted].contains("empty table")
    guard type == wanted || isEmpty && tables.contains(type) && tables.contains(wanted) else {
      throw ScriptError(
        "the default of the key is of type \(wanted), and \(name) is of type \(type)")
    }
  }

  private static func type(of value: Value) -> String {
    if value == [:] || value == [] { return "empty table" }
    return value.array != nil ? "array" : value.object != nil ? "object" : LuaValue(value).typeName
  }

  /// Whether the script gave the key a function `check`.
  var hasCheck: Bool { checking != nil }

  /// Throws if a limit has stopped one of the key's functions when its value was read. Then the store that asks for the value
  /// cannot be made, and what is stored stays as it is.
  func requireNotStopped(_ failure: SharedStorageError?) throws(ScriptError) {
    guard let failure, let kind = table.vm.stoppingKind else { return }
    let functions = ["migration": "migrate", "invalid": "check"]
    throw ScriptError(
      """
      \(origin): the shared value '\(name)' cannot be read, because its `\(functions[failure.code] ?? failure.code)` \
      was stopped: \(failure.message)
      """, kind: kind)
  }

  /// Calls the script's `check`, which raises if a value cannot be used.
  func check(_ value: Value) throws(ScriptError) {
    _ = try checking?.call([LuaValue(value)])
  }

  private func value(_ made: LuaValue) throws(ScriptError) -> Value? {
    if made.isNil { return nil }
    guard let value = try made.stateValue(named: "the default of \(name)") else {
      throw ScriptError(
        "\(origin): the default of the shared value '\(name)' must be a value of state, not "
          + made.typeNameWithArticle)
    }
    return value
  }
}

/// Keys as scripts write them, without `scripted.shared` in front: `inMemory "count"`,
/// `fileStorage "settings.json":at("theme"):reader()`.
extension SharedKey: CustomStringConvertible {
  var description: String {
    if kind == .status { return "\(identity)" }
    return "\(kind.rawValue) \(Value.string(name))"
      + SharedKey.text(part: part, isReadOnly: isReadOnly)
  }

  /// What follows a key that means a part of a value, or that may not write: `:at("theme"):reader()`.
  static func text(part: [Value], isReadOnly: Bool) -> String {
    let keys = part.compactMap(\.string)
    let isDotted =
      keys.count == part.count
      && !keys.contains { $0.isEmpty || $0.utf8.contains(UInt8(ascii: ".")) }
    let list = part.map(\.description).joined(separator: ", ")
    let at =
      isDotted ? ":at(\(Value.string(keys.joined(separator: "."))))" : ":at { \(list) }"
    return (part.isEmpty ? "" : at) + (isReadOnly ? ":reader()" : "")
  }
}

/// A field of a feature's state that is shared.
struct SharedField {
  let name: String
  let key: SharedKey
}

/// A field of a feature's state whose key a function of the script chooses, by the feature's state.
struct DynamicSharedField {
  let name: String
  /// The name of the feature, for messages.
  let feature: String
  /// Returns the description of a key, or nil for none.
  let choose: LuaFunction
}
