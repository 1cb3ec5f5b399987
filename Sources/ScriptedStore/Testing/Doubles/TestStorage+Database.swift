/// The tables of the shared values of one test, in memory.
extension TestStorage: SharedDatabase {
  func read(
    _ tables: [SharedTable], in file: String
  ) throws(SharedStorageError) -> [SharedTable.Content] {
    try requireNoFailure(file)
    return database.read(tables, in: file)
  }

  func write(
    to file: String, withstandingPowerFailure: Bool,
    _ body: (any SharedTransaction) throws(SharedStorageError) -> Void
  ) throws(SharedStorageError) {
    try requireNoFailure(file)
    try database.write(to: file, withstandingPowerFailure: withstandingPowerFailure, body)
  }

  // A test writes tables with `test.shared(key):set`.
  func watch(_ handler: @escaping @Sendable (_ file: String) -> Void) {}
}
