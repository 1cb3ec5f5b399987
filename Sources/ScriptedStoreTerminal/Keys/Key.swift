/// A pressed key, or pasted text.
enum Key: Hashable {
  case character(Character)
  case paste(String)
  /// A character with Control, in lower case.
  case control(Character)
  /// A character with Alt, or typed after Escape.
  case alt(Character)
  case enter, tab, backTab, escape, backspace, delete
  case up, down, left, right, wordLeft, wordRight
  case home, end, pageUp, pageDown
  case function(Int)
  /// A sequence that none of these keys stands for.
  case unknown
}

extension Key {
  init(typed character: Character) {
    switch character {
    case "\r", "\n": self = .enter
    case "\t": self = .tab
    case "\u{7F}", "\u{08}": self = .backspace
    default:
      guard let code = character.asciiValue, code < 0x20 else {
        self = .character(character)
        return
      }
      self = .control(Character(Unicode.Scalar(code | 0x40)).lowercased().first ?? "@")
    }
  }

  init(alt character: Character) {
    self = .alt(character == "\u{08}" ? "\u{7F}" : character)
  }

  init(final: UInt8, _ parameters: [Int]) {
    // xterm sends 1 plus the sum of the modifiers: 2 for Alt, 4 for Control. Input may contain any
    // number, so the subtraction must not trap on overflow.
    let modifiers = parameters.count > 1 ? parameters[1] &- 1 : 0
    let isByWord = modifiers & 6 != 0
    switch Character(Unicode.Scalar(final)) {
    case "A": self = .up
    case "B": self = .down
    case "C": self = isByWord ? .wordRight : .right
    case "D": self = isByWord ? .wordLeft : .left
    case "H": self = .home
    case "F": self = .end
    case "Z": self = .backTab
    case "P": self = .function(1)
    case "Q": self = .function(2)
    case "R": self = .function(3)
    case "S": self = .function(4)
    case "~": self = Key.numbered[parameters.first ?? 0] ?? .unknown
    default: self = .unknown
    }
  }

  private static let numbered: [Int: Key] = [
    1: .home, 3: .delete, 4: .end, 5: .pageUp, 6: .pageDown, 7: .home, 8: .end,
    11: .function(1), 12: .function(2), 13: .function(3), 14: .function(4), 15: .function(5),
    17: .function(6), 18: .function(7), 19: .function(8), 20: .function(9), 21: .function(10),
  ]
}
