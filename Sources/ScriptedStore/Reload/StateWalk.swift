import LuaBridge

/// A walk of the reducer tree over a state, parents before children. It either adapts the states of
/// features that have another version or new fields, or checks that the reducers can run on the
/// state.
final class StateWalk {
  enum Purpose {
    /// Migrates the states of these features, and adds their new fields.
    case adapts([FeatureKey: FeatureChange])
    /// Throws if an operator or a case cannot run on its part of the state.
    case checks
  }

  let context: ReduceContext
  private let purpose: Purpose
  /// The path of the current part of the state, for messages.
  private var path = "state"
  /// The number of places at which each feature's migration ran.
  private(set) var places: [FeatureKey: Int] = [:]
  /// The number of places at which each new field was added, by its key.
  private(set) var addedFields: [FeatureKey: [String: Int]] = [:]

  init(_ purpose: Purpose, _ context: ReduceContext) {
    self.purpose = purpose
    self.context = context
  }

  var checks: Bool {
    if case .checks = purpose { true } else { false }
  }

  /// Walks a part of the state.
  func under<R>(
    _ segment: String, _ body: () throws(ScriptError) -> R
  ) throws(ScriptError) -> R {
    let outer = path
    path += segment
    defer { path = outer }
    return try body()
  }

  /// An error about the current part of the state, or about the part at `segment` below it.
  func refusal(_ reason: String, at segment: String = "") -> ScriptError {
    ScriptError("\(path)\(segment) \(reason)")
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
    guard case .adapts(let changes) = purpose, let version = changes[feature]?.oldVersion else {
      return nil
    }
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
    guard case .adapts(let changes) = purpose, let fields = changes[feature]?.newFields,
      var object = Value(borrowing: state).asObject
    else { return nil }
    let missing = fields.filter { object[$0.key] == nil }
    for (key, value) in missing {
      object[key] = value
      addedFields[feature, default: [:]][key, default: 0] += 1
    }
    return missing.isEmpty ? nil : Value.object(object).ownedSlot()
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

extension ReducerNode {
  /// Continues a walk whose earlier step may have changed the state.
  ///
  /// - Parameters:
  ///   - state: the state before both steps, borrowed (+0).
  ///   - first: the result of the first step, owned (+1), which this function takes over; nil if it
  ///     changed nothing.
  /// - Returns: the state after both steps, owned (+1); nil if neither changed it.
  final func walk(
    _ state: Slot, after first: Slot?, _ next: (Slot) throws(ScriptError) -> Slot?
  ) throws(ScriptError) -> Slot? {
    guard let first else { return try next(state) }
    do throws(ScriptError) {
      guard let second = try next(first) else { return first }
      first.release()
      return second
    } catch {
      first.release()
      throw error
    }
  }
}
