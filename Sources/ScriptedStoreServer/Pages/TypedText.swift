import ScriptView

/// The text of the field in which a person types, as the page has it.
///
/// A page sends what changed in the text that it sent before. The tree may still have an earlier text.
struct TypedText {
  let path: ViewPath
  /// The number of the last event of the field.
  private(set) var event: Int
  private(set) var units: [UInt16]
  private var beginning: [UInt16]?

  /// The most UTF-16 units that a text may have.
  static let limit = 1 << 20

  /// - Parameter node: the field as the person sees it.
  init(_ path: ViewPath, _ node: ViewNode, event: Int) {
    self.path = path
    self.event = event
    units = TypedText.units(of: node)
    beginning = units
  }

  /// The text that the tree has, for the first change of it; nil for later ones.
  mutating func takeBeginning() -> [UInt16]? { beginning.take() }

  /// What a field shows.
  static func units(of node: ViewNode) -> [UInt16] { Array((node.scalar("value") ?? "").utf16) }

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

/// What a person has typed, from the text that the page had before to the one that it has now.
///
/// A handler may have changed the field in the meantime, as one that clears it when Enter is
/// pressed. Then what was typed is inserted into that text.
struct TypedChange {
  let before: [UInt16]
  let after: [UInt16]

  /// The change made in the text that the field has now. Takes time in proportion to the texts'
  /// length.
  func applied(to now: [UInt16]) -> String {
    guard now != before else { return String(decoding: after, as: UTF16.self) }
    let (typed, others) = (Difference(before, after), Difference(before, now))
    let start = others.position(of: typed.range.lowerBound)
    let end = max(start, others.position(of: typed.range.upperBound))
    return String(decoding: now[..<start] + typed.inserted + now[end...], as: UTF16.self)
  }

  /// The shortest range of a text that is another one in the next text. It never begins or ends
  /// inside of a surrogate pair.
  private struct Difference {
    let range: Range<Int>
    let inserted: ArraySlice<UInt16>

    init(_ old: [UInt16], _ new: [UInt16]) {
      let most = min(old.count, new.count)
      var start = 0
      while start < most, old[start] == new[start] { start += 1 }
      if start > 0, UTF16.isLeadSurrogate(old[start - 1]) { start -= 1 }
      var end = 0
      while end < most - start, old[old.count - 1 - end] == new[new.count - 1 - end] { end += 1 }
      if end > 0, UTF16.isTrailSurrogate(old[old.count - end]) { end -= 1 }
      range = start..<old.count - end
      inserted = new[start..<new.count - end]
    }

    /// Where a position of the old text is in the new one.
    func position(of old: Int) -> Int {
      if old <= range.lowerBound { return old }
      if old >= range.upperBound { return old - range.count + inserted.count }
      return range.lowerBound + min(old - range.lowerBound, inserted.count)
    }
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
    isUnfinished = message["more"] == 1
  }
}
