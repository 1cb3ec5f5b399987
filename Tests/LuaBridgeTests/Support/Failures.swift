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
