import LuaBridge

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What `effect.alarm` asks for: an action at a time, which the store keeps as a part of its state.
struct AlarmRequest: Sendable {
  enum Due: Sendable, Hashable {
    /// So many seconds after it is set.
    case after(Double)
    /// At a date, in seconds since 1970.
    case at(Double)
  }

  let id: Value
  let due: Due
  /// As the feature gets it.
  let action: Action

  /// The largest number of bytes of a script's action. A store may have ``StoreAlarms/most`` of them.
  private static let longestAction = 64 << 10

  /// Throws if a method of effects cannot do with an alarm what it does with effects in flight.
  static func check(_ effect: EffectNode, in method: EffectKind) throws(ScriptError) {
    guard effect.hasAlarm else { return }
    if method == .map { throw mapped }
    guard case .alarm(let request) = effect.operation else { return }
    switch method {
    case .cancellable:
      throw ScriptError(
        "an alarm is cancelled by its own id: leave out cancellable, and return effect.cancelAlarm(\(request.id))"
      )
    case .throttle:
      throw ScriptError(
        "an alarm sends nothing yet that throttle could hold; one alarm with the same id replaces the other"
      )
    default: break
    }
  }

  /// The error for an alarm under `map`.
  static let mapped = ScriptError(
    "an alarm cannot be under map: it outlives the code that sets it, so its action is data; give the alarm the action "
      + "that map would make of it")
}

extension AlarmRequest {
  /// What a script asks for. Throws in the function of an effect, and if the action is too large.
  init(
    _ arguments: inout EffectArguments, in scheduler: SchedulerLink
  ) throws(ScriptError) {
    let id = try arguments.id()
    let seconds = arguments.number()
    let due = arguments.flag() ? Due.at(seconds) : .after(seconds)
    let action = try Self.action(&arguments, id)
    try scheduler.requireReducer("effect.alarm")
    guard action.value.size(upTo: Self.longestAction) <= Self.longestAction else {
      throw ScriptError(
        "the action of an alarm may have \(Self.longestAction) bytes, and this one has more; keep what it needs in the state"
      )
    }
    self.init(id: id, due: due, action: action)
  }

  /// The action that a script gave. A list with a path is told how an alarm takes it, and not how `send` does.
  private static func action(
    _ arguments: inout EffectArguments, _ id: Value
  ) throws(ScriptError) -> Action {
    do throws(ScriptError) {
      return try EffectRunner.action(&arguments)
    } catch {
      throw ScriptError(error.message.replacing(": send(", with: ": effect.alarm(\(id), time, "))
    }
  }
}

extension Effect {
  /// Lets the store send an action later. An alarm is a part of the store's hidden state and not an effect in flight:
  /// no `finish()` waits for it, and a reload leaves it as it is.
  ///
  /// It belongs to the place of the reducer that returns this, and goes with it. A later alarm with the id at
  /// that place replaces it. It cannot be under ``map(_:)``.
  ///
  /// - Parameters:
  ///   - id: identifies it at its place.
  ///   - seconds: the time until then, by the clock that the reducer's effects wait on.
  ///   - action: as the reducer gets it.
  public static func alarm(_ id: Value, after seconds: Duration, _ action: Action) -> Effect {
    Effect(
      .alarm(AlarmRequest(id: id, due: .after(max(0, seconds / .seconds(1))), action: action)))
  }

  /// Lets the store send an action at a date, by the reducer's dependency `date`.
  public static func alarm(_ id: Value, at date: Date, _ action: Action) -> Effect {
    let seconds = date.timeIntervalSince1970
    let longest = 1e12
    let due = seconds.isNaN ? 0 : min(max(seconds, -longest), longest)
    return Effect(.alarm(AlarmRequest(id: id, due: .at(due), action: action)))
  }

  /// Removes the alarm with this id at the place of the reducer that returns this.
  public static func cancelAlarm(_ id: Value) -> Effect { Effect(.cancelAlarm(id: id)) }
}
