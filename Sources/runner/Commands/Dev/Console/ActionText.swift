/// Scans the text of an action's path that may be incomplete.
enum ActionText {
  /// Returns the index after the bracket that closes the one at `start`, or the end of the text if
  /// there is none. An id in quotes may contain brackets.
  static func endOfBrackets(in text: some StringProtocol, from start: String.Index) -> String.Index
  {
    var place = text.index(after: start)
    if place < text.endIndex, text[place] == "\"" {
      place = text.index(after: place)
      while place < text.endIndex, text[place] != "\"" {
        if text[place] == "\\" { place = text.index(after: place) }
        if place < text.endIndex { place = text.index(after: place) }
      }
    }
    guard place < text.endIndex, let close = text[place...].firstIndex(of: "]") else {
      return text.endIndex
    }
    return text.index(after: close)
  }
}
