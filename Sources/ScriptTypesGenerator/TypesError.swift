/// Why there are no Swift types for a feature: the place in a script, and what to do there.
package struct TypesError: Error, Hashable, CustomStringConvertible {
  /// The script's name, relative to the root; nil for what no script can mend.
  package let script: String?
  package let line: Int
  package let message: String

  init(_ message: String, at source: SourceLine?) {
    script = source?.script
    line = source?.line ?? 0
    self.message = message
  }

  package var description: String { script.map { "\($0):\(line): \(message)" } ?? message }
}

/// A line of a script.
package struct SourceLine: Hashable, Sendable {
  /// The script's name, relative to the root.
  package let script: String
  /// From 1.
  package let line: Int

  package init(script: String, line: Int) {
    self.script = script
    self.line = line
  }

  /// Reads `todos.lua:18`, as ``ReducerTree`` has lines. Nil for a line of another form.
  init?(_ origin: String?) {
    guard let origin, let colon = origin.lastIndex(of: ":"),
      let line = Int(origin[origin.index(after: colon)...])
    else { return nil }
    self.init(script: String(origin[..<colon]), line: line)
  }
}
