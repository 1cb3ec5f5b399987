// The paths by which encoders and decoders of Swift say where a part of a value is.

extension ValuePath {
  init(codingPath: [any CodingKey]) {
    self.init(
      codingPath.map { key in
        // The key of a Swift dictionary may have a number, too, but its text is that number.
        if let index = key.intValue, key.stringValue == PathKey(index).stringValue {
          .index(index)
        } else {
          .key(key.stringValue)
        }
      })
  }

  var codingPath: LinkedCodingPath? {
    var path: LinkedCodingPath?
    for component in components {
      switch component {
      case .key(let key): path = LinkedCodingPath(PathKey(key), below: path)
      case .index(let index): path = LinkedCodingPath(PathKey(index), below: path)
      }
    }
    return path
  }
}

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
