/// A position in a script: a byte offset, from 0, and a source line, from 1.
struct SourcePosition {
  var offset: Int
  var line: Int
}

/// The script does not follow the grammar of Lua 5.4 at `position`.
struct LuaSyntaxError: Error {
  let position: SourcePosition
}
