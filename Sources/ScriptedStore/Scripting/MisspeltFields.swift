/// Finds fields of a given state that the feature's own state has under a similar name only. Fields
/// without a similar name are left alone, because a state may have fields without a default.
package enum MisspeltFields {
  /// The fields, each with the name that is meant.
  package static func find(
    in given: Value, of initial: Value
  ) -> [(key: String, meant: String)] {
    guard let given = given.object, let initial = initial.object else { return [] }
    let rest = initial.map(\.key).filter { given[$0] == nil }
    return given.map(\.key).filter { initial[$0] == nil }.compactMap { key in
      guard let meant = Suggestion.nearest(to: key, in: rest), isMisspelt(key, meant) else {
        return nil
      }
      return (key, meant)
    }
  }

  /// `item` beside `items` is no mistake: the one is an element, the other the list of them.
  private static func isMisspelt(_ key: String, _ meant: String) -> Bool {
    key != meant + "s" && meant != key + "s" && Suggestion.edits(from: key, to: meant) <= 2
  }

  /// A warning for each field.
  ///
  /// - Parameter origin: the line of the call that was given the state.
  static func warnings(
    in given: Value, of initial: Value, feature: String, origin: String
  ) -> [RuntimeWarning] {
    find(in: given, of: initial).map { key, meant in
      RuntimeWarning(
        kind: .unknownStateKey,
        message:
          "the state of \(feature) has no '\(key)'; did you mean '\(meant)'? (the state given at \(origin))",
        origin: origin, action: nil)
    }
  }
}
