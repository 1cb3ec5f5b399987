/// Writes the lines of a ``LuaDiff``.
struct LuaDiffPage {
  /// The parts of a line before and after a value.
  struct LineFrame {
    /// `title = `, `[3] = `, or empty.
    var label: String
    /// A comma, or empty after the outermost value.
    var suffix: String
    var indent: Int

    func inner(_ label: String) -> LineFrame {
      LineFrame(label: label, suffix: ",", indent: indent + 1)
    }
  }

  private enum Mark: String {
    case context = "  "
    case old = "- "
    case new = "+ "
  }

  /// The maximum length, in characters, of a value on one line, without its label.
  private static let lineWidth = 80
  /// The approximate maximum number of lines of a value that does not fit on one line.
  private static let valueLines = 12
  /// The number of bytes after which a string is truncated.
  private static let stringLength = 1000

  private let isColored: Bool
  private let lineLimit: Int
  private var lines: [String] = []
  private var shownChanges = 0

  init(isColored: Bool, lineLimit: Int) {
    self.isColored = isColored
    self.lineLimit = lineLimit
  }

  func text(changes: Int) -> String {
    var lines = lines
    let hidden = changes - shownChanges
    if hidden > 0 {
      lines.append("  -- \(hidden.grouped) more change\(hidden == 1 ? "" : "s")")
    }
    return lines.joined(separator: "\n")
  }

  private var isFull: Bool { lines.count >= lineLimit }

  private mutating func line(_ mark: Mark, _ indent: Int, _ text: String) {
    let line = mark.rawValue + String(repeating: "  ", count: indent) + text
    switch mark {
    case .old where isColored: lines.append("\u{1B}[31m\(line)\u{1B}[0m")
    case .new where isColored: lines.append("\u{1B}[32m\(line)\u{1B}[0m")
    default: lines.append(line)
    }
  }

  private mutating func unchanged(_ count: Int, _ indent: Int) {
    if count > 0 { line(.context, indent, "-- \(count.grouped) unchanged") }
  }

  // MARK: Differences

  mutating func add(_ difference: Difference, _ frame: LineFrame) {
    if isFull { return }
    switch difference {
    case .replaced(let old, let new):
      shownChanges += 1
      add(old, .old, frame)
      add(new, .new, frame)
    case .members(let changes, let kept, let object):
      line(.context, frame.indent, frame.label + "{")
      var kept = kept
      if let id = unchangedID(of: object, changes) {
        line(.context, frame.indent + 1, "id = \(id),")
        kept -= 1
      }
      for change in changes {
        add(change.edit, frame.inner(LuaLiteral.key(change.key.stringBytes) + " = "))
      }
      if !isFull { unchanged(kept, frame.indent + 1) }
      line(.context, frame.indent, "}" + frame.suffix)
    case .elements(let changes, let kept):
      line(.context, frame.indent, frame.label + "{")
      // All old elements before this index have been written or counted.
      var next = 0
      var counted = 0
      for change in changes {
        if isFull { break }
        unchanged(change.oldIndex - next, frame.indent + 1)
        counted += change.oldIndex - next
        next = change.oldIndex
        var index = change.newIndex
        switch change.edit {
        case .removed:
          index = change.oldIndex
          next += 1
        case .changed: next += 1
        case .added: break
        }
        add(change.edit, frame.inner("[\(index + 1)] = "))
      }
      if !isFull { unchanged(kept - counted, frame.indent + 1) }
      line(.context, frame.indent, "}" + frame.suffix)
    }
  }

  private mutating func add(_ edit: Difference.Edit, _ frame: LineFrame) {
    if isFull { return }
    switch edit {
    case .removed(let old):
      shownChanges += 1
      add(old, .old, frame)
    case .added(let new):
      shownChanges += 1
      add(new, .new, frame)
    case .changed(let difference): add(difference, frame)
    }
  }

  /// The text of the object's scalar `id`. Nil if there is none, or if the `id` is one of the
  /// changes.
  private func unchangedID(of object: Slot, _ changes: [Difference.MemberChange]) -> String? {
    guard let id = Difference.rowID(of: object),
      !changes.contains(where: { $0.key.stringBytes.elementsEqual("id".utf8) })
    else { return nil }
    return Self.inline(id)
  }

  // MARK: Values

  private mutating func add(_ value: Slot, _ mark: Mark, _ frame: LineFrame) {
    add(value, mark, frame, until: lines.count + Self.valueLines)
  }

  /// Writes a value, on several lines if it is long. From the line number `end` on it only writes
  /// how many elements remain.
  private mutating func add(_ value: Slot, _ mark: Mark, _ frame: LineFrame, until end: Int) {
    if let text = Self.inline(value) {
      line(mark, frame.indent, frame.label + text + frame.suffix)
      return
    }
    if value.tag == .string {
      line(mark, frame.indent, frame.label + Self.cutString(value) + frame.suffix)
      return
    }
    line(mark, frame.indent, frame.label + "{")
    var left: Int
    if value.tag == .list {
      let list = PersistentList(borrowing: value)
      left = list.count
      while left > 0, lines.count < end {
        add(list.borrow(list.count - left), mark, frame.inner(""), until: end)
        left -= 1
      }
    } else {
      let object = ObjectTree(borrowing: value)
      left = object.count
      var position = object.livePosition(from: 0)
      while let current = position, lines.count < end {
        let key = LuaLiteral.key(object.keySlot(current).stringBytes)
        add(object.borrow(current), mark, frame.inner(key + " = "), until: end)
        left -= 1
        position = object.livePosition(from: current + 1)
      }
    }
    if left > 0 { line(mark, frame.indent + 1, "-- \(left.grouped) more") }
    line(mark, frame.indent, "}" + frame.suffix)
  }

  /// The value on one line, or nil if that is longer than `lineWidth` characters.
  private static func inline(_ value: Slot) -> String? {
    var text = ""
    return LuaLiteral.append(value, to: &text, width: lineWidth) ? text : nil
  }

  /// The text of a string, truncated if it is too long to show, with the number of the remaining
  /// bytes.
  private static func cutString(_ value: Slot) -> String {
    let bytes = value.stringBytes
    var text = ""
    if bytes.count <= stringLength {
      LuaLiteral.appendQuoted(bytes, to: &text)
      return text
    }
    var end = stringLength
    while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
    LuaLiteral.appendQuoted(UnsafeRawBufferPointer(rebasing: bytes[..<end]), to: &text)
    return text + "… (\((bytes.count - end).grouped) more bytes)"
  }
}

extension Int {
  /// The number with commas between groups of three digits: `12,345`.
  package var grouped: String { String(self).groupingDigits }
}

extension String {
  /// The text of a number with commas between groups of three digits. What is no plain number stays
  /// as it is.
  package var groupingDigits: String {
    let digits = drop { $0 == "-" }.prefix { $0.isASCII && $0.isNumber }
    let rest = self[digits.endIndex...]
    guard digits.count > 3, !rest.contains("e") else { return self }
    var grouped = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { grouped.append(",") }
      grouped.append(digit)
    }
    return self[..<digits.startIndex] + grouped + rest
  }
}
