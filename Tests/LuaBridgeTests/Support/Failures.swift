import LuaBridge
import Testing

/// What `body` throws, which must be a ``ScriptError``.
func failure(
  _ location: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) throws -> ScriptError {
  do {
    try body()
  } catch let error as ScriptError {
    return error
  }
  Issue.record("nothing was thrown", sourceLocation: location)
  throw ScriptError("nothing was thrown")
}

/// Two new references are one after a reference was released twice.
func expectNewReferencesDiffer(
  in lua: LuaVM, _ location: SourceLocation = #_sourceLocation
) throws {
  var tables: [LuaTable] = []
  for number in 1...8 {
    let table = try lua.makeTable()
    try table.set(1, to: .integer(Int64(number)))
    tables.append(table)
  }
  let numbers = try tables.map { try $0.get(1).integer }
  #expect(numbers == [1, 2, 3, 4, 5, 6, 7, 8], sourceLocation: location)
}

/// Counts how many are alive.
final class Tally {
  var living = 0
}

/// An object for a box, which its tally counts.
final class Boxed {
  let tally: Tally

  init(_ tally: Tally) {
    self.tally = tally
    tally.living += 1
  }

  deinit { tally.living -= 1 }
}

extension LuaValue {
  var integer: Int64? {
    if case .integer(let number) = self { return number }
    return nil
  }

  var text: String? {
    if case .string(let text) = self { return text }
    return nil
  }

  var function: LuaFunction? {
    if case .function(let function) = self { return function }
    return nil
  }

  var table: LuaTable? {
    if case .table(let table) = self { return table }
    return nil
  }

  var state: Value? {
    if case .value(let value) = self { return value }
    return nil
  }
}
