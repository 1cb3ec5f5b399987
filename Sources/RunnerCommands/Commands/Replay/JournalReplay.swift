import ArgumentParser
import Dispatch
import LuaBridge
import RunnerShared
import ScriptValue
import ScriptedStore
import Synchronization

/// `runner replay --journal`: whether scripts can be deployed on the durable stores of a journal.
struct JournalReplay {
  let host: ScriptHost
  /// Readers of the journal, one for each processor: what one reads, the others need not wait for.
  let journals: [any JournalReading]
  /// How many of a store's last actions are reduced; nil for all.
  let last: Int?
  let dependencies: [String: Dependency]

  /// What became of the stores.
  struct Outcome {
    var stores = 0
    var actions = 0
    var unproven = 0
    /// The stores that have no actions, so that they prove nothing.
    var idle = 0
    var migrated = 0
    /// The stores that stand in the way, in the order of their names.
    var refused: [(name: StoreName, verdict: DeployVerdict)] = []
  }

  /// Judges the stores on all processors, each of which takes the next store.
  func run(_ names: [StoreName]) throws(JournalError) -> Outcome {
    let outcome = Mutex(Outcome(stores: names.count))
    let failure = Mutex<JournalError?>(nil)
    let next = Atomic<Int>(0)
    let done = Atomic<Int>(0)
    let shows = StandardStreams.errorIsTerminal && names.count > 100
    DispatchQueue.concurrentPerform(iterations: journals.count) { reader in
      while failure.withLock({ $0 == nil }), !Interruption.isRequested {
        let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
        guard index < names.count else { return }
        do throws(JournalError) {
          let verdict = try host.judge(
            names[index], of: journals[reader], last: last, dependencies: dependencies,
            on: reader)
          outcome.withLock { $0.add(verdict, of: names[index]) }
        } catch {
          failure.withLock { $0 = $0 ?? error }
        }
        let count = done.wrappingAdd(1, ordering: .relaxed).newValue
        if shows, count % 100 == 0 || count == names.count {
          StandardStreams.error("\(count) of \(names.count) stores")
        }
      }
    }
    if let failure = failure.withLock({ $0 }) { throw failure }
    return outcome.withLock { outcome in
      outcome.refused.sort { $0.name < $1.name }
      return outcome
    }
  }
}

extension JournalReplay {
  /// Writes a test of each shown store that differs beside the journal: `room_r17_test.lua` of `room/r17`.
  func writeTests(of outcome: Outcome, beside file: String) throws {
    let folder = file.lastIndex(of: "/").map { file[...$0] } ?? ""
    for (name, verdict) in outcome.shown {
      guard case .differs(let found) = verdict else { continue }
      guard case .action(let recording) = found.kind else {
        StandardStreams.error("no test of \(name): states of two versions were compared")
        continue
      }
      guard let test = try exitingOnScriptError({ try host.testSource(ofPart: recording) }) else {
        StandardStreams.error("no test of \(name): it has taken over several shared values")
        continue
      }
      try Replay.writeTest(test, to: "\(folder)\(name.feature)_\(name.key)_test.lua")
    }
  }
}

extension JournalReplay.Outcome {
  fileprivate mutating func add(_ verdict: DeployVerdict, of name: StoreName) {
    switch verdict {
    case .same(let actions, let unproven, let isMigrated):
      self.actions += actions
      self.unproven += unproven
      if actions == 0 { idle += 1 }
      if isMigrated { migrated += 1 }
    case .differs(let found):
      actions += found.count
      if found.isMigrated { migrated += 1 }
      refused.append((name, verdict))
    case .refuses: refused.append((name, verdict))
    }
  }

  /// How many are shown.
  private static let most = 10

  /// The first stores that stand in the way.
  fileprivate var shown: ArraySlice<(name: StoreName, verdict: DeployVerdict)> {
    refused.prefix(Self.most)
  }

  var text: TerminalText {
    let style = TextStyle.output
    var text: TerminalText = ""
    for (name, verdict) in shown {
      switch verdict {
      case .differs(let found):
        text += found.text(of: name, style) + found.difference.remedy(style)
      case .refuses(let error): text += "\(style.bold("\(name)")) \(TerminalText(error))\n"
      case .same: break
      }
    }
    if refused.count > Self.most { text += style.dim("and \(refused.count - Self.most) more\n") }
    let details =
      "\(count(actions, "action")) reduced again, \(count(migrated, "store")) migrated"
      + (migrated > 0 ? " and compared in their migrated end states" : "")
      + (unproven > 0
        ? ", \(count(unproven, "action")) unproven: a dependency gave them what no recording holds"
        : "")
      + (idle > 0 ? ", \(count(idle, "store")) without an action to judge" : "")
    if refused.isEmpty {
      let result = idle == stores ? "nothing proved" : style.green("as recorded")
      text += "\(result): \(count(stores, "store")) (\(details))\n"
    } else {
      let verb = refused.count == 1 ? "differs" : "differ"
      text +=
        "\(style.red("do not deploy")): \(refused.count) of \(count(stores, "store")) \(verb) (\(details))\n"
    }
    return text
  }

  var json: [UInt8] {
    let differing = refused.map { name, verdict -> Value in
      var object: Value.Object = ["store": .string("\(name)")]
      switch verdict {
      case .differs(let found):
        let difference = found.difference
        object["n"] = Value(difference.number)
        if !found.isOfEnd { object["action"] = difference.action.value }
        if found.isMigrated { object["migrated"] = true }
        object["error"] = difference.actualError.map { .string($0.displayed) }
        object["patch"] = try? JSONPatch.luaDiff(
          from: difference.expected, to: difference.actual
        ).document
      case .refuses(let error): object["error"] = .string(error.displayed)
      case .same: break
      }
      return .object(object)
    }
    return TerminalJSON.line([
      "stores": Value(stores), "actions": Value(actions), "migrated": Value(migrated),
      "unproven": Value(unproven), "idle": Value(idle), "differ": .array(Value.List(differing)),
    ])
  }
}

extension DeployDifference {
  fileprivate var isMigrated: Bool { if case .action = kind { false } else { true } }
  fileprivate var isOfEnd: Bool { if case .end = kind { true } else { false } }

  fileprivate func text(of name: StoreName, _ style: TextStyle) -> TerminalText {
    let title = style.bold("\(name)")
    switch kind {
    case .action:
      return
        "\(title) \(style.dim("(- recorded, + now)"))\n\(TerminalText(of: difference, style))\n"
    case .migratedAction:
      return """
        \(title) \(style.dim("(from the migrated first state; - recorded, + now)"))
        \(TerminalText(of: difference, style))

        """
    case .end:
      let states = TerminalText(from: difference.expected, to: difference.actual, style) ?? ""
      return """
        \(title) \(style.dim("(- its state after entry \(difference.number), migrated; + its first state, migrated, and the actions)"))
        \(states)

        """
    }
  }
}
