import ScriptValue
import ScriptView

/// The text of the field that has the focus, as it is while a person types.
///
/// The store answers each change. If it is busy, answers are late: `sent` holds the texts without
/// one, so that an old answer does not take the place of what was typed since.
struct FieldEdit {
  private(set) var id: FocusStop.ID
  /// What stays the same when the field has another place; nil for one without a name.
  private let identity: [Value]?
  var buffer: LineBuffer
  /// Whether the text is entered as a whole, as ``FocusStop/isDraft`` says.
  let isDraft: Bool
  /// The value that the tree had last.
  private var seen: String
  private var sent: [String] = []

  init(_ stop: FocusStop, caret: Int? = nil) {
    id = stop.id
    identity = stop.location.identity
    isDraft = stop.isDraft
    seen = stop.location.node.scalar("value") ?? ""
    let text = Array(seen)
    buffer = LineBuffer(text, cursor: caret ?? text.count)
  }

  /// Takes the place of the field if a stop is that. Returns whether it is.
  mutating func follow(_ stop: FocusStop) -> Bool {
    if id == stop.id { return true }
    guard identity != nil, identity == stop.location.identity else { return false }
    id = stop.id
    return true
  }

  /// The text as the drawing shows it.
  var shown: ScreenReader.Edit {
    ScreenReader.Edit(path: id.path, text: buffer.characters, caret: buffer.cursor)
  }

  /// The text is on its way to the store.
  mutating func send() { sent.append(buffer.text) }

  /// Takes over the value of the tree.
  ///
  /// - Parameter isSettled: whether it is the answer to all that was sent.
  mutating func take(_ value: String, isSettled: Bool) {
    let isNew = value != seen
    seen = value
    if isDraft {
      if isNew { adopt(value) }
    } else if isSettled {
      sent = []
      adopt(value)
    } else if let index = sent.firstIndex(of: value) {
      sent.removeFirst(index + 1)
    } else if isNew {
      sent = []
      adopt(value)
    }
  }

  /// Shows another text. The caret stays behind the same characters, as far as they are there.
  mutating func adopt(_ value: String) {
    let (old, new) = (buffer.characters, Array(value))
    guard old != new else { return }
    let shorter = min(old.count, new.count)
    var start = 0
    while start < shorter, old[start] == new[start] { start += 1 }
    var end = 0
    while end < shorter - start, old[old.count - 1 - end] == new[new.count - 1 - end] { end += 1 }
    var caret = buffer.cursor
    if caret > start {
      caret =
        caret >= old.count - end ? new.count - (old.count - caret) : min(caret, new.count - end)
    }
    buffer = LineBuffer(new, cursor: caret)
  }
}
