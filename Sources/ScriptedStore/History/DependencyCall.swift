import ScriptValue

/// One call of a dependency, as the history of a store keeps it.
package struct DependencyCall: Sendable, Hashable {
  package enum Caller: String, Sendable {
    /// A handler of the action, while it was reduced.
    case handler
    /// An effect, after the action and before the next one.
    case effect
  }

  /// The path of the function in `deps`, as `date.now`. Of an id that a stack gave, the action type of its elements.
  package let name: String
  package let caller: Caller
  /// Whether a stack was asked for the id of a new element.
  package let isStackID: Bool
  /// Whether this is one request for the next value of a stream.
  package let isStream: Bool
  /// Nil as long as there is none.
  package let answer: DependencyRead.Answer?
}

extension DependencyCall {
  /// The call and its answer on one line: `handler  date.now → 978307200`.
  package func text(width: Int) -> String {
    let caller = caller == .handler ? "handler  " : "effect   "
    let kind = isStackID ? "an id of the stack " : isStream ? "the next of " : ""
    return "\(caller)\(kind)\(name) → \(answer?.text(width: width) ?? "no answer yet")"
  }
}

extension StoreHistory {
  /// What the handlers of an entry have called, and then what effects have called until the next entry, with their answers. An
  /// answer may have come after a later entry.
  package func calls(of number: Int) -> [DependencyCall] {
    log.entries.withLock { $0.calls(of: number) }
  }
}

extension HistoryEntries {
  fileprivate func calls(of number: Int) -> [DependencyCall] {
    guard let details = self[number]?.details else { return [] }
    var calls = details.reads.map { read in
      let (name, isStackID) =
        switch read.source {
        case .dependency(let name), .field(let name): (name, false)
        case .stack(let name): (name, true)
        }
      return DependencyCall(
        name: name, caller: .handler, isStackID: isStackID, isStream: false, answer: read.answer)
    }
    let answers = answers(from: number, to: details.calls)
    for call in details.calls {
      guard case .asked(let name, let isStream) = call.phase else { continue }
      calls.append(
        DependencyCall(
          name: name, caller: .effect, isStackID: false, isStream: isStream,
          answer: answers[call.number]))
    }
    return calls
  }

  /// The answers by the numbers of their calls. Looks at later entries until all are there.
  private func answers(from number: Int, to calls: [EffectCall]) -> [Int: DependencyRead.Answer] {
    var open: Set<Int> = []
    for call in calls { if case .asked = call.phase { open.insert(call.number) } }
    var answers: [Int: DependencyRead.Answer] = [:]
    for entry in number...last where !open.isEmpty {
      for call in entry == number ? calls : self[entry]?.details.calls ?? [] {
        if case .answered(let answer) = call.phase, open.remove(call.number) != nil {
          answers[call.number] = answer
        }
      }
    }
    return answers
  }
}

extension DependencyRead.Answer {
  /// The answer on one line, in Lua.
  package func text(width: Int) -> String {
    func text(_ value: Value?) -> String {
      value.map { ValuePreview.text(of: $0, width: width) } ?? "nil"
    }
    switch self {
    case .value(nil): return "nothing"
    case .value(let value): return text(value)
    case .values(let values): return values.map(text).joined(separator: ", ")
    case .error(let message, _): return "raised: \(message)"
    case .opaque: return "what no state can hold"
    }
  }

  package var isError: Bool { if case .error = self { true } else { false } }
}
