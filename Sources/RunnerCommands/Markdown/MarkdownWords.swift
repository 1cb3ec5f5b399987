import RunnerShared
import ScriptView

/// The words of a paragraph of Markdown: text between blanks, with its styles.
///
/// Code is shown in colour, or in backticks where there are no colours. Of a link to another page
/// only the text is shown, of one to the web also the address.
struct MarkdownWords {
  private enum Look {
    case plain
    case bold
    case code
  }

  /// Parts of different looks.
  private struct Word {
    var parts: [(look: Look, text: String)] = []

    var width: Int { CharacterWidth.of(parts.map(\.text).joined()) }

    mutating func append(_ character: Character, _ look: Look) {
      if parts.last?.look == look {
        parts[parts.count - 1].text.append(character)
      } else {
        parts.append((look, String(character)))
      }
    }
  }

  private var words: [Word] = []
  private let style: TextStyle
  private var isBold: Bool
  private var isCode = false
  private var isEmphasis = false
  private var isOpen = false

  init(_ text: String, _ style: TextStyle, isBold: Bool = false) {
    self.style = style
    self.isBold = isBold
    add(text[...])
  }

  private mutating func add(_ text: Substring) {
    var rest = text
    while let character = rest.first {
      if character == "`" {
        isCode.toggle()
        if !style.takesColor { append("`") }
      } else if isCode {
        append(character)
      } else if rest.hasPrefix("**") {
        isBold.toggle()
        rest.removeFirst()
      } else if character == "*", isEmphasis || (!isOpen && rest.dropFirst().first != " ") {
        // Emphasis is shown as plain text.
        isEmphasis.toggle()
      } else if character == "[", let link = Self.link(at: rest) {
        add(link.text)
        if link.target.hasPrefix("http"), link.target != link.text { add(" (\(link.target))") }
        rest = link.rest
        continue
      } else {
        append(character)
      }
      rest.removeFirst()
    }
  }

  private mutating func append(_ character: Character) {
    guard character != " " else {
      isOpen = false
      return
    }
    if !isOpen { words.append(Word()) }
    isOpen = true
    words[words.count - 1].append(character, isCode ? .code : isBold ? .bold : .plain)
  }

  private func text(of word: Word) -> TerminalText {
    word.parts.reduce(into: "") { text, part in
      let shown = TerminalText(part.text)
      switch part.look {
      case .code where style.takesColor: text += style.cyan(shown)
      case .bold: text += style.bold(shown)
      case .plain, .code: text += shown
      }
    }
  }

  /// The link `[text](target)` at the beginning, with what follows it.
  private static func link(
    at text: Substring
  ) -> (text: Substring, target: Substring, rest: Substring)? {
    guard let middle = text.firstRange(of: "]("),
      let end = text[middle.upperBound...].firstIndex(of: ")")
    else { return nil }
    let target = text[middle.upperBound..<end]
    guard !target.contains(" ") else { return nil }
    return (
      text[text.index(after: text.startIndex)..<middle.lowerBound], target,
      text[text.index(after: end)...]
    )
  }

  /// The words in lines of at most `width` columns. A longer word has a line of its own.
  func lines(width: Int) -> [Line] {
    var lines: [Line] = []
    for word in words {
      let (text, wordWidth) = (text(of: word), word.width)
      if let last = lines.last, last.width + 1 + wordWidth <= width {
        lines[lines.count - 1] = Line(
          text: last.text + " " + text, width: last.width + 1 + wordWidth)
      } else {
        lines.append(Line(text: text, width: wordWidth))
      }
    }
    return lines
  }

  struct Line {
    let text: TerminalText
    let width: Int
  }
}
