/// A position in a script: a byte offset, from 0, and a source line, from 1.
package struct SourcePosition {
  package var offset: Int
  package var line: Int

  package init(offset: Int, line: Int) {
    self.offset = offset
    self.line = line
  }
}

/// The script does not follow the grammar of Lua 5.4 at `position`.
package struct LuaSyntaxError: Error {
  package let position: SourcePosition

  package init(position: SourcePosition) { self.position = position }
}
