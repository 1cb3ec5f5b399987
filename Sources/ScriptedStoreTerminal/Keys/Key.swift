/// A pressed key, pasted text, or what was done with the mouse.
public enum Key: Hashable, Sendable {
  case character(Character)
  case paste(String)
  /// A character with Control, in lower case.
  case control(Character)
  /// A character with Alt, or typed after Escape.
  case alt(Character)
  case enter, tab, backTab, escape, backspace, delete
  case up, down, left, right, wordLeft, wordRight
  /// An arrow with Alt. In a text those to the left and right go by words.
  case altUp, altDown, altLeft, altRight
  case home, end, pageUp, pageDown
  case function(Int)
  case mouse(MouseEvent)
  /// A sequence that none of these keys stands for.
  case unknown
}

/// What was done with the mouse, at a cell that is counted from 0.
public struct MouseEvent: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    /// The left button was pressed.
    case press
    case wheelUp, wheelDown
    /// Another button, a release, or a movement.
    case other
  }

  public let kind: Kind
  public let column: Int
  public let row: Int

  public init(_ kind: Kind, column: Int, row: Int) {
    self.kind = kind
    self.column = column
    self.row = row
  }
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
    let hasControl = modifiers & 4 != 0
    let hasAlt = modifiers & 2 != 0
    switch Character(Unicode.Scalar(final)) {
    case "A": self = hasAlt ? .altUp : .up
    case "B": self = hasAlt ? .altDown : .down
    case "C": self = hasAlt ? .altRight : hasControl ? .wordRight : .right
    case "D": self = hasAlt ? .altLeft : hasControl ? .wordLeft : .left
    case "H": self = .home
    case "F": self = .end
    case "Z": self = .backTab
    case "P": self = .function(1)
    case "Q": self = .function(2)
    // With the row and the column of the cursor it is an answer of the terminal.
    case "R": self = parameters.count > 1 && parameters[0] != 1 ? .unknown : .function(3)
    case "S": self = .function(4)
    case "~": self = Key.numbered[parameters.first ?? 0] ?? .unknown
    default: self = .unknown
    }
  }

  /// A report of the mouse in the form of xterm's mode 1006: `ESC [ < button ; column ; row M`, or
  /// `m` for a release.
  init(mouse parameters: [Int], isPress: Bool) {
    guard parameters.count == 3, parameters[1] >= 1, parameters[2] >= 1 else {
      self = .unknown
      return
    }
    // 4, 8 and 16 are Shift, Alt and Control, which change nothing here; 32 is a movement.
    let kind: MouseEvent.Kind =
      switch parameters[0] & ~28 {
      case 0 where isPress: .press
      case 64: .wheelUp
      case 65: .wheelDown
      default: .other
      }
    self = .mouse(MouseEvent(kind, column: parameters[1] - 1, row: parameters[2] - 1))
  }

  private static let numbered: [Int: Key] = [
    1: .home, 3: .delete, 4: .end, 5: .pageUp, 6: .pageDown, 7: .home, 8: .end,
    11: .function(1), 12: .function(2), 13: .function(3), 14: .function(4), 15: .function(5),
    17: .function(6), 18: .function(7), 19: .function(8), 20: .function(9), 21: .function(10),
    23: .function(11), 24: .function(12),
  ]
}
