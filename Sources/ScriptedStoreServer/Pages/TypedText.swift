import ScriptView

/// The text of the field in which a person types, as the page has it.
///
/// A page sends what changed, on the text that it sent before; the tree may still be behind.
struct TypedText {
  let path: ViewPath
  /// The number of the last event of the field.
  private(set) var event: Int
  private var units: [UInt16]

  var text: String { String(decoding: units, as: UTF16.self) }

  /// As many UTF-16 units a text may have.
  static let limit = 1 << 20

  /// - Parameter node: the field as the person sees it.
  init(_ path: ViewPath, _ node: ViewNode, event: Int) {
    self.path = path
    self.event = event
    units = Array((node.scalar("value") ?? "").utf16)
  }

  /// Makes a change. Returns false if it does not fit.
  mutating func apply(_ splice: TextSplice, event: Int) -> Bool {
    guard splice.start >= 0, splice.removed >= 0, splice.start <= units.count,
      splice.removed <= units.count - splice.start
    else { return false }
    let inserted = Array(splice.inserted.utf16)
    guard units.count - splice.removed + inserted.count <= TypedText.limit else { return false }
    units.replaceSubrange(splice.start..<splice.start + splice.removed, with: inserted)
    self.event = event
    return true
  }
}

/// What changed in a text, in UTF-16 units.
struct TextSplice: Equatable {
  let start: Int
  let removed: Int
  let inserted: String
  /// The event whose text it changes; nil for the value in the tree.
  let from: Int?
  /// Whether another piece of the same change follows.
  let isUnfinished: Bool

  /// Nil if the message has none.
  init?(_ message: Value) {
    guard let start = message["start"].int, let removed = message["removed"].int,
      let inserted = message["inserted"].string
    else { return nil }
    self.start = start
    self.removed = removed
    self.inserted = inserted
    from = message["from"].int
    isUnfinished = message["more"] == 1 || message["more"].bool == true
  }
}
