/// An edited text with its cursor, undo steps and killed text.
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

  /// Edits as readline and Emacs do. Returns false for a key that does not edit one line.
  package mutating func handle(_ key: Key) -> Bool {
    switch key {
    case .character(let character): insert(String(character))
    case .paste(let text): insert(text.onOneLine)
    case .backspace: remove(max(0, cursor - 1)..<cursor)
    case .delete, .control("d"): remove(cursor..<min(cursor + 1, characters.count))
    case .left, .control("b"): move(by: -1)
    case .right, .control("f"): move(by: 1)
    case .wordLeft, .altLeft, .alt("b"): cursor = wordStart()
    case .wordRight, .altRight, .alt("f"): cursor = wordEnd()
    case .home, .control("a"):
      cursor = characters[..<cursor].lastIndex { $0.isNewline }.map { $0 + 1 } ?? 0
    case .end, .control("e"):
      cursor = characters[cursor...].firstIndex { $0.isNewline } ?? characters.count
    case .control("k"): kill(cursor..<characters.count)
    case .control("u"): kill(0..<cursor)
    case .control("w"): kill(wordStart { !$0.isWhitespace }..<cursor)
    case .alt("d"): kill(cursor..<wordEnd())
    case .alt("\u{7F}"): kill(wordStart()..<cursor)
    case .control("y"): insert(String(killed))
    case .control("t"): transpose()
    case .control("_"): undo()
    default: return false
    }
    return true
  }

  // MARK: Moving

  package mutating func move(by count: Int) {
    cursor = min(max(0, cursor + count), characters.count)
  }

  private func wordStart(_ isInWord: (Character) -> Bool = Self.isInWord) -> Int {
    var index = cursor
    while index > 0, !isInWord(characters[index - 1]) { index -= 1 }
    while index > 0, isInWord(characters[index - 1]) { index -= 1 }
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

  private mutating func transpose() {
    guard characters.count > 1, cursor > 0 else { return }
    remember()
    if cursor == characters.count { cursor -= 1 }
    characters.swapAt(cursor - 1, cursor)
    cursor += 1
  }

  private mutating func undo() {
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

extension String {
  /// A pasted text for one line: its lines with blanks in between. Lua and JSON accept a blank in place
  /// of a line break.
  package var onOneLine: String {
    split(whereSeparator: \.isNewline).joined(separator: " ").replacing("\t", with: " ")
  }
}
