/// A dictionary whose keys are compared byte by byte, as Lua compares strings.
///
/// Swift's `String` takes two Unicode forms of one text for equal, so that a `[String: …]` with strings
/// of scripts as its keys would take two of them for one.
package struct TextDictionary<Element> {
  private struct Key: Hashable {
    let text: String

    static func == (a: Key, b: Key) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

    func hash(into hasher: inout Hasher) {
      var text = text
      text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
  }

  private var elements: [Key: Element] = [:]

  package init() {}

  package var isEmpty: Bool { elements.isEmpty }
  package var count: Int { elements.count }
  package var keys: [String] { elements.keys.map(\.text) }

  package subscript(key: String) -> Element? {
    get { elements[Key(text: key)] }
    _modify { yield &elements[Key(text: key)] }
  }

  package subscript(key: String, default element: @autoclosure () -> Element) -> Element {
    get { elements[Key(text: key)] ?? element() }
    _modify { yield &elements[Key(text: key), default: element()] }
  }
}

extension TextDictionary: Sequence {
  package func makeIterator() -> some IteratorProtocol<(key: String, value: Element)> {
    elements.lazy.map { (key: $0.key.text, value: $0.value) }.makeIterator()
  }
}
