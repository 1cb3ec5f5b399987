import LuaBridge

/// Records what the scripts of a store get from `deps`, and answers with it in a replay. Used
/// inside a worker.
///
///     ┌─────────┐ ── begin() ─────────▶ recording  ── end() ──▶ ┌─────────┐
///     │ outside │                                            │ outside │
///     └─────────┘ ── begin(serving:) ─▶ serving ── end() ──▶ └─────────┘
///
/// 1. `outside`: no action is reduced. A call comes from an effect, and is reported to `listener`.
/// 2. `recording`: an action is reduced. The result of each call is appended to `reads`.
/// 3. `serving`: an action is reduced in a replay. A function gets its recorded answers in their
///    order, whatever else is called. A call without an answer raises; a stack makes a new id. An
///    `opaque` answer calls the function. A field that was not recorded has its current value.
/// 4. The scopes of a store with a history have a recorder, and the calls of `deps` there pass
///    through it, except `log` and waits on the clock. Other scopes have none.
/// 5. Lua retains the recorder, so the recorder retains nothing that retains the VM.
final class DependencyRecorder {
  /// See 1, 2 and 3.
  private enum Mode { case outside, recording, serving }

  /// Whether the stores are durable, so that their handlers cannot write outside.
  let isOfDurableStores: Bool
  private var mode = Mode.outside
  private var reads: [DependencyRead] = []
  /// The answers that are left, last first, by source.
  private var answers: [DependencyRead.Source: [DependencyRead.Answer]] = [:]
  /// The values that the handlers of the action have got for fields.
  private var fields: [Field: Value] = [:]

  /// A value of `deps` that is no function, by the number of its scope and its path.
  private struct Field: Hashable {
    let scope: UInt64
    let name: String
  }

  /// Receives the calls in effects.
  weak var listener: (any EffectLog)?

  init(isOfDurableStores: Bool = false) { self.isOfDurableStores = isOfDurableStores }

  // MARK: Handlers

  /// Begins recording: an action is about to be reduced. Forgets what an earlier try to reduce it has
  /// read.
  func begin() {
    mode = .recording
    (reads, fields) = ([], [:])
  }

  /// Begins a replay: an action is about to be reduced. Its handlers get what they read when it was
  /// recorded.
  func begin(serving reads: [DependencyRead]) {
    mode = .serving
    answers = [:]
    fields = [:]
    for read in reads.reversed() { answers[read.source, default: []].append(read.answer) }
  }

  /// Ends recording or the replay, and returns what the handlers have read.
  func end() -> [DependencyRead] {
    mode = .outside
    defer { (reads, answers, fields) = ([], [:], [:]) }
    return reads
  }

  // MARK: Functions of the host

  /// Calls a function that returns at once, or answers for it.
  func call(_ name: String, _ body: () throws -> HostValue?) throws -> HostValue? {
    if let served = try served(name) {
      return (served.first ?? nil).map { .state($0) }
    }
    let call = begin(name)
    do {
      let value = try body()
      end(call, .result(value))
      return value
    } catch {
      end(call, .error(error))
      throw error
    }
  }

  /// The id of an element that is pushed on a stack: the recorded one in a replay, else a new one,
  /// which is recorded.
  func stackID(_ name: String, _ make: () -> Slot) -> Slot {
    let source = DependencyRead.Source.stack(name)
    if mode == .serving, case .value(.integer(let id)?)? = answers[source]?.popLast() {
      reads.append(DependencyRead(source, .value(.integer(id))))
      return .integer(id)
    }
    let id = make()
    if mode != .outside { reads.append(DependencyRead(source, .value(Value(borrowing: id)))) }
    return id
  }

  /// The value of a field of `deps` that is no function. All handlers of an action get that of the first read, which is
  /// recorded. In a replay that is the next recorded value of the field's name, and `current` if there is none.
  ///
  /// - Parameters:
  ///   - scope: the number of the scope: at another position of the reducer tree the value may be another one.
  ///   - current: the value that the field has now.
  func field(_ name: String, in scope: UInt64, _ current: Value) -> Value {
    if mode == .outside { return current }
    let field = Field(scope: scope, name: name)
    if let known = fields[field] { return known }
    let source = DependencyRead.Source.field(name)
    var value = current
    if mode == .serving, case .value(let recorded?)? = answers[source]?.popLast() {
      value = recorded
    }
    fields[field] = value
    reads.append(DependencyRead(source, .value(value)))
    return value
  }

  // MARK: All functions

  /// A call that has begun and not ended.
  struct Call {
    fileprivate let name: String
    /// The listener's number of the call; nil if it was made while an action was reduced.
    fileprivate let number: Int?
  }

  /// The recorded results of a function in a replay; nil if it must be called. Throws the error if one
  /// was recorded, and if there is no answer left.
  func served(_ name: String) throws(ScriptError) -> [Value?]? {
    guard mode == .serving else { return nil }
    let source = DependencyRead.Source.dependency(name)
    guard let answer = answers[source]?.popLast() else {
      throw ScriptError(
        "deps.\(name) is called, which it was not (so often) when this action was recorded: "
          + "there is no answer to replay")
    }
    reads.append(DependencyRead(source, answer))
    switch answer {
    case .value(let value): return [value]
    case .values(let values): return values
    case .error(let message, let value): throw ScriptError(message, value: value)
    case .opaque: return nil
    }
  }

  /// Begins a call that has no recorded answer.
  func begin(_ name: String, isStream: Bool = false) -> Call {
    Call(name: name, number: mode == .outside ? listener?.began(name, isStream: isStream) : nil)
  }

  /// Ends a call. `answer` is nil if nothing is known about the result.
  func end(_ call: Call, _ answer: DependencyRead.Answer?) {
    switch mode {
    case .recording: reads.append(DependencyRead(.dependency(call.name), answer ?? .opaque))
    // ``served(_:)`` has recorded it, as opaque.
    case .serving: break
    case .outside:
      if let number = call.number, let answer { listener?.ended(number, answer) }
    }
  }
}

extension DependencyRead.Answer {
  /// The answer for what a function returned. Bytes can be in no state, and in no recording.
  static func result(_ result: HostValue?) -> DependencyRead.Answer {
    if case .bytes? = result { .opaque } else { .value(result?.state) }
  }

  /// The answer for an error that a function threw.
  static func error(_ error: any Error) -> DependencyRead.Answer {
    let error = error as? ScriptError ?? ScriptError("\(error)")
    return .error(error.message, error.value)
  }
}

/// A value that a handler got from outside.
public struct DependencyRead: Sendable, Hashable {
  public enum Source: Sendable, Hashable {
    /// A function of `deps` by its path, such as `uuid` or `date.now`.
    case dependency(String)
    /// The id that a stack gave to a pushed element, by the action type of the stack's elements.
    case stack(String)
    /// A value of `deps` that is no function, by its path, such as `config` or `config.rate`. An action records the
    /// first read.
    case field(String)
  }

  public enum Answer: Sendable, Hashable {
    /// The returned value; nil if the function returned nothing.
    case value(Value?)
    /// Several returned values, such as nil and a message.
    case values([Value?])
    /// The message of the raised error and, if a value was raised, that value.
    case error(String, Value?)
    /// A result that no state can hold, such as a function. A replay cannot give it again and calls
    /// the dependency instead.
    case opaque
  }

  public let source: Source
  public let answer: Answer

  public init(_ source: Source, _ answer: Answer) {
    self.source = source
    self.answer = answer
  }
}
