import LuaBridge

// Shared fields whose keys depend on the state: `shared = { document = function(state) return … end }`.
//
// The function is asked when an action has ended. If it chooses another key, the field shows the value of
// that one from then on, and the change of the state is a step.

extension StoreSharing {
  /// A shared field in one place of the state, and what was chosen for it last.
  struct DynamicField {
    let field: DynamicSharedField
    /// The feature's name, for messages.
    let feature: String
    // Proof: `fields` retains the containers below it, and is as old as what it describes.
    unowned let container: SharedFields
    /// The feature's state of that time; nil before the first choice.
    var state: Value?
    /// The text of the chosen key; nil for none.
    var key: String?
    var use: SharedUse?
  }

  /// Makes a field of a feature shared, whose key a function chooses.
  func share(_ field: DynamicSharedField, in container: SharedFields, of feature: String) {
    container.share(field.name, StoreSharing.nothing)
    hasDynamicFields = true
    guard container.path != nil else {
      return fail(
        ScriptError(
          """
          \(feature): a function cannot choose the key of the field '\(field.name)' in an element of a list or dictionary; share \
          a value that has a part for each element in a feature around it
          """))
    }
    dynamicFields.append(
      DynamicField(field: field, feature: feature, container: container, state: nil, key: nil))
  }

  /// What stands behind a field for which no key is chosen: an absent value that cannot be written.
  private static var nothing: SharedFields.Target {
    SharedFields.Target([.string("none:")], isReadOnly: true, isStored: false)
  }

  /// Asks the functions for the keys of a state of the store. Returns whether one has chosen another key.
  ///
  /// - Throws: what a function raises. The fields whose functions come after it keep their keys.
  func chooseKeys(for state: Value) throws(ScriptError) -> Bool {
    var hasChanged = false
    for index in dynamicFields.indices {
      let dynamic = dynamicFields[index]
      let path = (dynamic.container.path ?? []).map { Value.string($0) }
      guard let state = state.part(at: path[...]), state != dynamic.state else { continue }
      let chosen = try dynamic.field.choose.call([LuaValue(state)]).at(0)
      var key: SharedKey?
      if case .table(let description) = chosen { key = try SharedKey(description) }
      dynamicFields[index].state = state
      guard key?.description != dynamic.key else { continue }
      guard key?.kind != .inherited else {
        throw ScriptError(
          "\(dynamic.feature): a function cannot choose an inherited key for the field '\(dynamic.field.name)'"
        )
      }
      let use = key.map { SharedUse(of: $0.usedIdentity, values.uses) }
      if let key {
        try share(dynamic.field.name, chosen: key, in: dynamic.container)
      } else {
        didShare()
        dynamic.container.share(dynamic.field.name, StoreSharing.nothing)
      }
      (dynamicFields[index].key, dynamicFields[index].use) = (key?.description, use)
      hasChanged = true
    }
    return hasChanged
  }
}
