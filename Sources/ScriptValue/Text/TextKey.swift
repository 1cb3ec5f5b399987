/// A text as a key of a dictionary, compared byte by byte, as Lua compares strings.
///
/// Swift's `String` takes two Unicode forms of one text for equal, so that a `[String: …]` with strings
/// of scripts as its keys would take two of them for one.
package struct TextKey: Hashable {
  package let text: String

  @inlinable
  package init(_ text: String) { self.text = text }

  @inlinable
  package static func == (a: TextKey, b: TextKey) -> Bool {
    var (a, b) = (a.text, b.text)
    return a.withUTF8 { a in b.withUTF8 { b in a.count == b.count && a.elementsEqual(b) } }
  }

  @inlinable
  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
