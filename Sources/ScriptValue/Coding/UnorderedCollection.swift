/// The types that encode their elements in an order that differs from run to run.
protocol UnorderedCollection {
  /// The number of consecutive array elements that belong together: 2 for a dictionary's key and
  /// value.
  static var elementsPerEntry: Int { get }
}

extension Dictionary: UnorderedCollection {
  static var elementsPerEntry: Int { 2 }
}

extension Set: UnorderedCollection {
  static var elementsPerEntry: Int { 1 }
}
