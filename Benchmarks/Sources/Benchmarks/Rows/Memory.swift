import CFloor
import LuaBridge
import ScriptedStore

/// Resident bytes of a stored row, measured in a process of its own.
enum Memory {
  /// Makes the benchmark's program do the measuring, as a child.
  static let argument = "--measure-memory"

  static let all = [
    Benchmark("memory of a row at N = 100,000 with the id index", bar: 200) { _ in
      let printed = try Process.output(of: CommandLine.arguments[0], [argument, "100000"])
      let parts = printed.split(separator: " ").compactMap { Double($0) }
      guard parts.count == 1 else { throw Unexpected(description: "the child said \(printed)") }
      return Outcome(result: parts[0], unit: .bytes, subject: parts[0], floor: nil)
    }
  ]

  /// Prints the bytes that a row takes in a store of `count` of them. A first store pays for the VM and for
  /// all that is made once.
  static func measure(rows count: Int) throws {
    let store = try Scripts.store("rows", state: ["todos": try Scripts.rows(100)])
    try store.send("todos[50].toggle")
    let before = resident_bytes()
    let loaded = try Scripts.listStore(rows: count)
    // The first action for an element is what the index is made for.
    try loaded.send("todos[\(count / 2)].toggle")
    let after = resident_bytes()
    withExtendedLifetime((store, loaded)) {
      print((Double(after) - Double(before)) / Double(count))
    }
  }
}
