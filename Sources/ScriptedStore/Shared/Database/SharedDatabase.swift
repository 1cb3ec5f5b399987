import LuaBridge

/// Where a host stores the shared values of `database` keys: lists of rows, in tables of files.
///
/// All functions may block. One thread at a time calls ``write(to:withstandingPowerFailure:_:)``. Another
/// one may call ``read(_:in:)`` meanwhile, also for the same file, when it declares a key. `DatabaseStorage`
/// of ScriptedStoreDatabase uses SQLite, and ``MemoryDatabase`` ends with the process.
public protocol SharedDatabase: Sendable {
  /// The content of tables of one file at one moment, one for each table. Makes no file.
  func read(
    _ tables: [SharedTable], in file: String
  ) throws(SharedStorageError) -> [SharedTable.Content]

  /// Calls `body` in a transaction that others cannot interrupt. When it returns, all that `body` has
  /// changed outlives the process; if it throws, nothing was changed. Actions wait for it.
  ///
  /// - Parameters:
  ///   - file: the name of the file, without a folder.
  ///   - withstandingPowerFailure: whether it has to outlive a power failure as well.
  ///   - body: reads and changes the file through the transaction, which it must not keep.
  func write(
    to file: String, withstandingPowerFailure: Bool,
    _ body: (any SharedTransaction) throws(SharedStorageError) -> Void
  ) throws(SharedStorageError)

  /// Calls `handler` with files that others have changed, until this object is released. Called once.
  func watch(_ handler: @escaping @Sendable (_ file: String) -> Void)

  /// Brings all that was written into the files themselves, so that they can be copied.
  func flush()

  /// The host does not use a table any more, so nothing has to be known about it. By default it does nothing.
  ///
  /// - Parameter isLast: whether the host uses no other table of the file, so that the file can be closed.
  func forget(_ table: SharedTable, in file: String, isLast: Bool)
}

extension SharedDatabase {
  public func watch(_ handler: @escaping @Sendable (_ file: String) -> Void) {}
  public func flush() {}
  public func forget(_ table: SharedTable, in file: String, isLast: Bool) {}
}

/// What is open while a ``SharedDatabase`` writes to a file.
public protocol SharedTransaction {
  /// Whether others have changed the file since this database has read or written it. Then the tables have
  /// to be read before they are changed.
  var isBehind: Bool { get }
  func read(_ tables: [SharedTable]) throws(SharedStorageError) -> [SharedTable.Content]
  func make(_ change: SharedTable.Change) throws(SharedStorageError)
}

/// A table of a ``SharedDatabase``: the rows of one shared value.
public struct SharedTable: Sendable, Hashable {
  /// Letters, digits, `_` and `-`.
  public let name: String
  /// The field of a row that is its id.
  public let id: String

  public struct Content: Sendable {
    /// The rows in their order; nil if there is no such table.
    public var rows: Value.List?
    /// The version of the rows' shape, which the last change has given.
    public var version: Int
    /// Why some rows are not among `rows`; nil if all are. They stay in the file under another name when
    /// the table is changed.
    public var failure: String?

    public init(rows: Value.List? = nil, version: Int = 1, failure: String? = nil) {
      self.rows = rows
      self.version = version
      self.failure = failure
    }
  }

  public struct Change: Sendable {
    public let table: SharedTable
    public let version: Int
    public let rows: RowChanges
    /// All rows, as they are after the change.
    public let result: Value.List
    public let base: Base
  }

  /// What a change builds on.
  public enum Base: Sendable, Hashable {
    /// There is no table yet.
    case nothing
    /// The table as it was read or changed last.
    case table
    /// A new table. The one that is there gets another name: its own, a dot and the text, as `todos.v1`.
    case newTable(keepingOldAs: String)
  }
}
