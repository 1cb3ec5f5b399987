/// The text of an edited line with its cursor, undo steps and killed text.
///
/// Invariants:
/// 1. `cursor` is in `0...characters.count`.
/// 2. `past` has at most 200 undo steps.
package struct LineBuffer {
  package private(set) var characters: [Character] = []
  /// The index of the character after the cursor.
  package private(set) var cursor = 0
  private var killed: [Character] = []
  /// Earlier contents for undo, the latest last.
  private var past: [(characters: [Character], cursor: Int)] = []

  package init() {}

  package init(_ text: [Character], cursor: Int) {
    characters = text
    self.cursor = min(max(cursor, 0), text.count)
  }

  package var text: String { String(characters) }
  package var isEmpty: Bool { characters.isEmpty }
  package var textBeforeCursor: String { String(characters[..<cursor]) }

  package mutating func set(_ text: String) {
    remember()
    characters = Array(text)
    cursor = characters.count
  }

  package mutating func clear() {
    characters = []
    cursor = 0
    past = []
  }

  // MARK: Moving

  package mutating func move(by count: Int) {
    cursor = min(max(0, cursor + count), characters.count)
  }
  package mutating func moveToStart() { cursor = 0 }
  package mutating func moveToEnd() { cursor = characters.count }
  package mutating func moveToWordStart() { cursor = wordStart() }
  package mutating func moveToWordEnd() { cursor = wordEnd() }

  private func wordStart() -> Int {
    var index = cursor
    while index > 0, !Self.isInWord(characters[index - 1]) { index -= 1 }
    while index > 0, Self.isInWord(characters[index - 1]) { index -= 1 }
    return index
  }

  private func wordEnd() -> Int {
    var index = cursor
    while index < characters.count, !Self.isInWord(characters[index]) { index += 1 }
    while index < characters.count, Self.isInWord(characters[index]) { index += 1 }
    return index
  }

  private static func isInWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_"
  }

  // MARK: Editing

  package mutating func insert(_ text: String) {
    remember()
    let new = Array(text)
    characters.insert(contentsOf: new, at: cursor)
    cursor += new.count
    // A combining mark forms one character with the letter before it.
    let joined = Array(String(characters))
    if joined.count != characters.count {
      cursor = Array(String(characters[..<cursor])).count
      characters = joined
    }
  }

  /// Replaces the text before the cursor.
  package mutating func replaceBeforeCursor(with text: String) {
    remember()
    let new = Array(text)
    characters.replaceSubrange(..<cursor, with: new)
    cursor = new.count
  }

  package mutating func deleteBackward() { remove(max(0, cursor - 1)..<cursor) }
  package mutating func deleteForward() { remove(cursor..<min(cursor + 1, characters.count)) }

  package mutating func transpose() {
    guard characters.count > 1, cursor > 0 else { return }
    remember()
    if cursor == characters.count { cursor -= 1 }
    characters.swapAt(cursor - 1, cursor)
    cursor += 1
  }

  package mutating func killToEnd() { kill(cursor..<characters.count) }
  package mutating func killToStart() { kill(0..<cursor) }
  package mutating func killWordForward() { kill(cursor..<wordEnd()) }
  package mutating func killWordBackward() { kill(wordStart()..<cursor) }

  /// Kills the word before the cursor, up to the previous blank, as Ctrl-W does in readline.
  package mutating func killBackwardToBlank() {
    var index = cursor
    while index > 0, characters[index - 1].isWhitespace { index -= 1 }
    while index > 0, !characters[index - 1].isWhitespace { index -= 1 }
    kill(index..<cursor)
  }

  /// Inserts the last killed text.
  package mutating func yank() { insert(String(killed)) }

  package mutating func undo() {
    guard let last = past.popLast() else { return }
    (characters, cursor) = last
  }

  private mutating func kill(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    killed = Array(characters[range])
    remove(range)
  }

  private mutating func remove(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    remember()
    characters.removeSubrange(range)
    cursor = range.lowerBound
  }

  private mutating func remember() {
    past.append((characters, cursor))
    if past.count > 200 { past.removeFirst() }
  }
}
