import LuaBridge

/// Notes what a store's scripts get from `deps`, and gives it to them again in a replay. Inside a worker.
///
/// Whoever calls functions of `deps` does so through this in the scopes of a store with a history, and in no others. It
/// is kept by Lua, so it holds nothing that holds the VM.
final class DependencyRecorder {
  private enum Mode {
    /// No handler runs: who asks is an effect.
    case outside
    case noting
    case serving
  }

  private var mode = Mode.outside
  private var reads: [DependencyRead] = []
  /// What is left to be given, in reverse, by source.
  private var answers: [DependencyRead.Source: [DependencyRead.Answer]] = [:]
  /// Hears of calls in effects.
  weak var listener: (any EffectCallListener)?

  // MARK: Handlers

  /// A handler is about to run: what it reads is noted.
  func begin() { mode = .noting }

  /// The same in a replay: it gets what was read then.
  func begin(serving reads: [DependencyRead]) {
    mode = .serving
    answers = [:]
    for read in reads.reversed() { answers[read.source, default: []].append(read.answer) }
  }

  /// The handler is done; what it has read.
  func end() -> [DependencyRead] {
    mode = .outside
    answers = [:]
    if reads.isEmpty { return [] }
    defer { reads = [] }
    return reads
  }

  // MARK: Functions of the host

  /// A call of a function that returns at once.
  func call(_ name: String, _ body: () throws -> Value?) throws -> Value? {
    if let served = try served(.dependency(name)) { return served.value }
    let call = begin(name)
    do {
      let value = try body()
      end(call, .value(value))
      return value
    } catch {
      end(call, .error(error))
      throw error
    }
  }

  /// The id that a stack gives to what is pushed.
  func stackID(_ name: String, _ make: () -> Slot) -> Slot {
    let source = DependencyRead.Source.stack(name)
    if mode == .serving, let served = try? self.served(source),
      case .integer(let id)? = served.value
    {
      return .integer(id)
    }
    let id = make()
    if mode != .outside { reads.append(DependencyRead(source, .value(Value(borrowing: id)))) }
    return id
  }

  // MARK: All functions

  /// What is known of a call that goes on.
  struct Call {
    fileprivate let name: String
    /// The listener's number of it, nil in a handler.
    fileprivate let number: Int?
  }

  /// Something was given again.
  struct Served {
    let value: Value?
  }

  /// What a replay gives; nil where the function is to be asked.
  func served(_ source: DependencyRead.Source) throws(ScriptError) -> Served? {
    guard mode == .serving else { return nil }
    guard let answer = answers[source]?.popLast() else {
      if case .stack = source { return nil }
      throw DependencyRecorder.notRecorded(source)
    }
    reads.append(DependencyRead(source, answer))
    switch answer {
    case .value(let value): return Served(value: value)
    case .error(let message, let value): throw ScriptError(message, value: value)
    case .opaque: return nil
    }
  }

  private static func notRecorded(_ source: DependencyRead.Source) -> ScriptError {
    guard case .dependency(let name) = source else { return ScriptError("not recorded") }
    return ScriptError(
      "deps.\(name) is called, which it was not (so often) when this action was recorded: "
        + "there is no answer to replay")
  }

  /// A call begins that is not served.
  func begin(_ name: String, isStream: Bool = false) -> Call {
    Call(name: name, number: mode == .outside ? listener?.began(name, isStream: isStream) : nil)
  }

  /// It has ended, with nil so that nothing can be told.
  func end(_ call: Call, _ answer: DependencyRead.Answer?) {
    switch mode {
    case .noting: reads.append(DependencyRead(.dependency(call.name), answer ?? .opaque))
    // Noted when it was served, as what cannot be.
    case .serving: break
    case .outside:
      if let number = call.number, let answer { listener?.ended(number, answer) }
    }
  }
}

/// Hears what effects ask for and get.
protocol EffectCallListener: AnyObject {
  /// A number for the call.
  func began(_ name: String, isStream: Bool) -> Int
  func ended(_ call: Int, _ answer: DependencyRead.Answer)
}

extension DependencyRead.Answer {
  /// What a function threw.
  static func error(_ error: any Error) -> DependencyRead.Answer {
    let error = error as? ScriptError ?? ScriptError("\(error)")
    return .error(error.message, error.value)
  }
}
