import LuaBridge

/// The way to test support. This is the only file outside of `Testing/` that names what is declared
/// there (docs/decisions/0030).
extension Engine {
  /// Lets scripts require `scripted.test`.
  func addTestSupport() { testSupport = TestSupport(self) }

  /// Loads a test file with the test framework. Its blocks run; its tests do not.
  func loadTestFile(_ path: String, _ watch: TimeoutWatch) throws(ScriptError) {
    let context = try makeTestContext(
      watch, SnapshotFile(beside: path, .never), measuring: nil)
    _ = try context.load(path, seed: nil)
  }
}
