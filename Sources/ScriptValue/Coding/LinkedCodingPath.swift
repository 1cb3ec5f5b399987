/// The coding path of a value, as a list linked from the value to the root. Creating one is cheap;
/// its keys are listed only for an error.
///
/// It is separate from ``EncodedValue``. An ``EncodedValue`` retains those inside it, so a link
/// from one of them to its parent would be a retain cycle.
final class LinkedCodingPath {
  private let key: any CodingKey
  private let parent: LinkedCodingPath?
  /// The number of keys.
  let level: Int

  init(_ key: any CodingKey, below parent: LinkedCodingPath?) {
    self.key = key
    self.parent = parent
    level = (parent?.level ?? 0) + 1
  }

  /// The keys from the root to the value.
  var keys: [any CodingKey] {
    var keys: [any CodingKey] = []
    var rest: LinkedCodingPath? = self
    while let path = rest {
      keys.append(path.key)
      rest = path.parent
    }
    return keys.reversed()
  }
}
