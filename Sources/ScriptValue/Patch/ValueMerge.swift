/// Two changes of one value, laid over each other.
///
/// Objects are merged key by key, and lists whose elements are objects with distinct ids element by
/// element. Anything else is taken as a whole. Where both changed the same, our change stays.
///
/// O(size of both), less what the values share.
package struct ValueMerge {
  /// Nil for no value.
  package private(set) var value: Value?
  /// Whether both changed one place in different ways, so that their change there is lost.
  package private(set) var hasConflict = false
  /// The key of an element's id.
  private let id: String

  /// - Parameters:
  ///   - ours: nil for no value, as for the others.
  ///   - base: what both began with.
  package init(ours: Value?, theirs: Value?, base: Value?, id: String = "id") {
    self.id = id
    value = merge(ours, theirs, base)
  }

  private mutating func merge(_ ours: Value?, _ theirs: Value?, _ base: Value?) -> Value? {
    if ours == base || ours == theirs { return theirs }
    if theirs == base { return ours }
    if let ours = ours?.object, let theirs = theirs?.object, let base = base?.object {
      return .object(merge(ours, theirs, base))
    }
    if let ours = Elements(ours, id), let theirs = Elements(theirs, id),
      let base = Elements(base, id)
    {
      return .array(merge(ours, theirs, base))
    }
    hasConflict = true
    return ours
  }

  private mutating func merge(
    _ ours: Value.Object, _ theirs: Value.Object, _ base: Value.Object
  ) -> Value.Object {
    var merged = theirs
    for key in theirs.keys + ours.keys.filter({ theirs[$0] == nil }) {
      merged[key] = merge(ours[key], theirs[key], base[key])
    }
    return merged
  }

  private mutating func merge(
    _ ours: Elements, _ theirs: Elements, _ base: Elements
  ) -> Value.List {
    var merged = Value.List()
    for id in ours.hasOtherOrder(than: base) ? ours.order(with: theirs) : theirs.order(with: ours) {
      if let element = merge(ours.byID[id], theirs.byID[id], base.byID[id]) {
        merged.append(element)
      }
    }
    return merged
  }

  /// The elements of a list, each of which has an id of its own.
  private struct Elements {
    var ids: [Value] = []
    var byID: [Value: Value] = [:]

    /// Nil for anything but such a list.
    init?(_ list: Value?, _ key: String) {
      guard let list = list?.array else { return nil }
      for element in list {
        guard let id = element.object?[key], byID.updateValue(element, forKey: id) == nil else {
          return nil
        }
        ids.append(id)
      }
    }

    /// Whether the elements that are in both lists stand in different orders.
    func hasOtherOrder(than other: Elements) -> Bool {
      ids.filter { other.byID[$0] != nil } != other.ids.filter { byID[$0] != nil }
    }

    /// The ids of this list. The ones that only `other` has stand behind those that precede them there.
    func order(with other: Elements) -> [Value] {
      var following: [Value?: [Value]] = [:]
      var preceding: Value?
      for id in other.ids {
        if byID[id] == nil {
          following[preceding, default: []].append(id)
        } else {
          preceding = id
        }
      }
      return ids.reduce(into: following[nil] ?? []) { order, id in
        order.append(id)
        order += following[id] ?? []
      }
    }
  }
}
