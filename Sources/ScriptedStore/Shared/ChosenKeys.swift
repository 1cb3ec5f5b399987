import LuaBridge

/// The shared fields of one store whose keys depend on its state: `shared = { document = function(state) return … end }`.
///
/// The function is asked when an action has ended. If it chooses another key, the field shows the value of
/// that one from then on, and the change of the state is a step. In an element of a list, a dictionary or a
/// stack it is asked for each element.
final class ChosenKeys {
  /// What was chosen for such a field in one place of the state.
  struct Choice {
    /// The feature's state of that time.
    var state: Value
    /// The text of the chosen key; nil for none.
    var key: String?
    var use: SharedUse?
  }

  private let keys: KeyDeclarations
  private let uses: SharedUses
  /// The fields, by the description of the container that has them.
  private var dynamicFields: [ObjectIdentifier: [DynamicSharedField]] = [:]
  /// What was chosen last for them, by the ways to the fields.
  private var choices: [[Value]: Choice] = [:]
  /// The fields for which the step that runs has chosen another key, by the ways to them.
  var newChoices: Set<[Value]> = []

  init(_ keys: KeyDeclarations, _ uses: SharedUses) { (self.keys, self.uses) = (keys, uses) }

  private var fields: SharedFields { keys.fields }

  var isEmpty: Bool { dynamicFields.isEmpty }

  /// Makes a field of a feature shared, whose key a function chooses.
  func share(_ field: DynamicSharedField, in container: SharedFields) {
    container.shareChosen(field.name)
    fields.choices.other = ChosenKeys.nothing
    dynamicFields[ObjectIdentifier(container), default: []].append(field)
  }

  /// What stands behind a field for which no key is chosen: an absent value that cannot be written.
  private static var nothing: SharedFields.Target {
    SharedFields.Target([.string("none:")], isReadOnly: true, isStored: false)
  }

  /// Asks the functions for the keys of a state of the store, where it is another one than last time.
  /// Returns whether one has chosen another key. O(elements) in lists whose elements have such fields.
  ///
  /// - Throws: what a function raises. The fields whose functions come after it keep their keys.
  func choose(for state: Value) throws(ScriptError) -> Bool {
    newChoices = []
    var found: Set<[Value]> = []
    try fields.visitChoosing(in: state) { (container, way, state) throws(ScriptError) in
      for dynamic in dynamicFields[ObjectIdentifier(container)] ?? [] {
        let way = way + [.string(dynamic.name)]
        // Of elements with one id, the first one chooses.
        guard found.insert(way).inserted else { continue }
        if choices[way]?.state != state { try choose(dynamic, for: state, at: way) }
      }
    }
    if found.count < choices.count {
      for way in choices.keys where !found.contains(way) { drop(way) }
    }
    return !newChoices.isEmpty
  }

  private func choose(
    _ dynamic: DynamicSharedField, for state: Value, at way: [Value]
  ) throws(ScriptError) {
    let chosen = try dynamic.choose.call([LuaValue(state)]).at(0)
    var key: SharedKey?
    if case .table(let description) = chosen { key = try SharedKey(description) }
    let old = choices[way]
    choices[way, default: Choice(state: state)].state = state
    guard key?.description != old?.key else { return }
    guard key?.kind != .inherited else {
      throw ScriptError(
        "\(dynamic.feature): a function cannot choose an inherited key for the field '\(dynamic.name)'"
      )
    }
    let use = key.map { SharedUse(of: $0.identity.used, uses) }
    fields.choices.targets[way] = try key.map { (key) throws(ScriptError) in
      try keys.target(ofChosen: key)
    }
    keys.didShare()
    choices[way] = Choice(state: state, key: key?.description, use: use)
    newChoices.insert(way)
  }

  /// Forgets what was chosen for a field that is not in the state any more.
  private func drop(_ way: [Value]) {
    choices[way] = nil
    if fields.choices.targets.removeValue(forKey: way) != nil { keys.didShare() }
  }

  // MARK: Other states

  /// All that is chosen at one time.
  struct Moment {
    fileprivate let targets: SharedFields.Choices
    fileprivate let choices: [[Value]: Choice]
    fileprivate let newChoices: Set<[Value]>
  }

  var moment: Moment {
    Moment(targets: fields.choices, choices: choices, newChoices: newChoices)
  }

  func goBack(to moment: Moment) {
    (fields.choices, choices, newChoices) = (moment.targets, moment.choices, moment.newChoices)
    keys.didShare()
  }

  /// What stands behind the chosen fields of a state that an action or a step has left.
  struct Shown {
    /// What stood there when the action or step began.
    let before: SharedFields.Choices
    let after: SharedFields.Choices
  }

  /// What stands behind the chosen fields now.
  var shownChoices: Shown {
    var before = fields.choices
    for way in newChoices { before.targets[way] = nil }
    return Shown(before: before, after: fields.choices)
  }

  /// Calls `body` while only these fields of those that functions choose are shared.
  func showing<R>(
    only choices: SharedFields.Choices, _ body: () throws(ScriptError) -> R
  ) throws(ScriptError) -> R {
    let outer = fields.choices
    fields.choices = choices
    fields.choices.other = nil
    defer { fields.choices = outer }
    return try body()
  }

  /// Calls `body` while the chosen fields show what the functions choose for another state of the store.
  func choosing<R>(
    for state: Value, _ body: () throws(ScriptError) -> R
  ) throws(ScriptError) -> R {
    guard !isEmpty else { return try body() }
    let outer = moment
    defer { goBack(to: outer) }
    _ = try choose(for: state)
    return try body()
  }
}
