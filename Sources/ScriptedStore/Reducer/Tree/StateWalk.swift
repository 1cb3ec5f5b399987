import LuaBridge

/// A walk of the reducer tree over a state, parents before children. It either adapts the states of
/// features that have another version or new fields, or checks that the reducers can run on the
/// state, or gives transient fields their defaults.
///
/// Shared values belong to the host and not to a store, so their parts are not adapted: ``unadapted`` tells which would
/// have been.
final class StateWalk {
  enum Purpose {
    /// Migrates the states of these features, and adds their new fields. In a durable store it throws where a newer version has
    /// made the state: if the older code went on with it, the newer code would migrate it a second time.
    case adapts([FeatureKey: FeatureChange], isDurable: Bool)
    /// Throws if an operator or a case cannot run on its part of the state.
    case checks
    /// Sets the transient fields of all features to their defaults.
    case forgets
  }

  /// What is shared of a part of the state.
  private enum Sharing {
    case nothing
    /// Perhaps some of these fields.
    case fields(SharedFields)
    /// All of it, which is a part of this shared value.
    case value(SharedIdentity)

    /// What is shared of the part in a field, or of an element for nil.
    func part(_ key: String?) -> Sharing {
      guard case .fields(let fields) = self else { return self }
      if let target = key.flatMap({ fields.target(named: $0) }) { return .value(target.identity) }
      return fields.below(named: key).map { .fields($0) } ?? .nothing
    }
  }

  /// States of a feature that a shared value has.
  struct SharedStates: Hashable {
    let feature: FeatureKey
    let value: SharedIdentity
  }

  let context: ReduceContext
  private let purpose: Purpose
  /// The path of the current part of the state, for messages.
  private var path = "state"
  private var sharing: Sharing
  /// What was left as it is, because it is shared, with the path of the first such state.
  private(set) var unadapted: [SharedStates: String] = [:]
  /// The number of places at which each feature's migration ran.
  private(set) var places: [FeatureKey: Int] = [:]
  /// The number of places at which each new field was added, by its key.
  private(set) var addedFields: [FeatureKey: [String: Int]] = [:]

  /// - Parameter shared: the shared fields of the state; nil if it has none.
  init(_ purpose: Purpose, _ context: ReduceContext, shared: SharedFields? = nil) {
    self.purpose = purpose
    self.context = context
    sharing = shared.map { .fields($0) } ?? .nothing
  }

  var checks: Bool {
    if case .checks = purpose { true } else { false }
  }

  var forgets: Bool {
    if case .forgets = purpose { true } else { false }
  }

  /// Walks a part of the state.
  ///
  /// - Parameters:
  ///   - segment: what the part adds to the path.
  ///   - keys: the fields that lead to the part; nil stands for an element.
  func under<R>(
    _ segment: String, _ keys: [String?], _ body: () throws(ScriptError) -> R
  ) throws(ScriptError) -> R {
    let outer = (path, sharing)
    path += segment
    sharing = keys.reduce(sharing) { $0.part($1) }
    defer { (path, sharing) = outer }
    return try body()
  }

  /// Whether the current part of the state, which would have been adapted, is shared.
  private func leaves(_ feature: FeatureKey) -> Bool {
    guard case .value(let value) = sharing else { return false }
    let states = SharedStates(feature: feature, value: value)
    if unadapted[states] == nil { unadapted[states] = path }
    return true
  }

  /// An error about the current part of the state, or about the part at `segment` below it.
  func refusal(_ reason: String, at segment: String = "") -> ScriptError {
    ScriptError("\(path)\(segment) \(reason)")
  }

  /// Runs a check of the current part of the state. An error then names that part.
  func refusing<R>(_ check: () throws(ScriptError) -> R) throws(ScriptError) -> R {
    do throws(ScriptError) {
      return try check()
    } catch {
      throw refusal("cannot be held: \(error.message)")
    }
  }

  /// Throws in a durable store if a newer version of the feature has made the current part of the state.
  func checkVersion(of feature: FeatureKey) throws(ScriptError) {
    guard case .adapts(let changes, isDurable: true) = purpose, let change = changes[feature],
      let old = change.oldVersion, old > change.version
    else { return }
    if case .value = sharing { return }
    throw refusal(
      """
      was made by version \(old) of \(feature.name), and these scripts have version \(change.version); deploy scripts of \
      version \(old) or later
      """)
  }

  /// Migrates the state of a feature.
  ///
  /// - Parameters:
  ///   - state: borrowed (+0).
  ///   - migrate: returns the new state, owned (+1).
  /// - Returns: the new state, owned (+1); nil if the state stays as it is.
  func migrate(
    _ state: Slot, of feature: FeatureKey,
    by migrate: (_ from: Int) throws(ScriptError) -> Slot
  ) throws(ScriptError) -> Slot? {
    guard case .adapts(let changes, _) = purpose, let version = changes[feature]?.oldVersion,
      !leaves(feature)
    else { return nil }
    places[feature, default: 0] += 1
    let new: Slot
    do throws(ScriptError) {
      new = try migrate(version)
    } catch {
      var error = error
      error.feature = feature.name
      error.message = "the migration of \(feature.name) at \(path) raised: \(error.message)"
      throw error
    }
    guard new.isContainer else {
      defer { new.release() }
      throw refusal(
        "must be a table, but the migration of \(feature.name) made it \(Value(borrowing: new))")
    }
    guard !new.isIdentical(to: state) else {
      new.release()
      return nil
    }
    return new
  }

  /// Gives the feature's new fields their defaults where a state does not have them.
  ///
  /// - Parameter state: borrowed (+0).
  /// - Returns: the new state, owned (+1); nil if the state stays as it is.
  func addNewFields(to state: Slot, of feature: FeatureKey) -> Slot? {
    guard case .adapts(let changes, _) = purpose, let fields = changes[feature]?.newFields,
      var object = Value(borrowing: state).asObject
    else { return nil }
    let missing = fields.filter { object[$0.key] == nil }
    if missing.isEmpty || leaves(feature) { return nil }
    for (key, value) in missing {
      object[key] = value
      addedFields[feature, default: [:]][key, default: 0] += 1
    }
    return Value.object(object).ownedSlot()
  }

  /// Sets transient fields of a feature to their defaults. What is shared stays, because it belongs to the host.
  ///
  /// - Parameter state: borrowed (+0).
  /// - Returns: the new state, owned (+1); nil if the state stays as it is.
  func forget(_ fields: [(key: String, value: Value)], in state: Slot) -> Slot? {
    guard forgets, !fields.isEmpty, var object = Value(borrowing: state).asObject else {
      return nil
    }
    if case .value = sharing { return nil }
    var isChanged = false
    for (key, value) in fields where object[key] != value {
      object[key] = value
      isChanged = true
    }
    return isChanged ? Value.object(object).ownedSlot() : nil
  }
}

extension Value {
  /// The object that this value is or, if it is empty, can become.
  fileprivate var asObject: Object? {
    switch self {
    case .object(let object): object
    case .array(let list) where list.isEmpty: Object()
    default: nil
    }
  }
}
