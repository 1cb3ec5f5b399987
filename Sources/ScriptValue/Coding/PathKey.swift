/// A key that is any text or any index.
struct PathKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(_ key: String) {
    stringValue = key
    intValue = nil
  }

  init(_ index: Int) {
    stringValue = "Index \(index)"
    intValue = index
  }

  init?(stringValue: String) { self.init(stringValue) }

  /// The text of an integer key is its number, as in JSON.
  init?(intValue: Int) {
    stringValue = String(intValue)
    self.intValue = intValue
  }
}
