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
  let journal: any JournalReading
  /// How many of a store's last actions are reduced; nil for all.
  let last: Int?
  let dependencies: [String: Dependency]

  /// What became of the stores.
  struct Outcome {
    var stores = 0
    var actions = 0
    var unproven = 0
    var migrated = 0
    /// The stores that stand in the way, in the order of their names.
    var refused: [(name: StoreName, verdict: DeployVerdict)] = []
  }

  /// Judges the stores on all processors.
  func run(_ names: [StoreName]) throws(JournalError) -> Outcome {
    let outcome = Mutex(Outcome(stores: names.count))
    let failure = Mutex<JournalError?>(nil)
    let done = Atomic<Int>(0)
    let shows = StandardStreams.errorIsTerminal && names.count > 100
    DispatchQueue.concurrentPerform(iterations: names.count) { index in
      guard failure.withLock({ $0 == nil }), !Interruption.isRequested else { return }
      do throws(JournalError) {
        let verdict = try host.judge(
          names[index], of: journal, last: last, dependencies: dependencies)
        outcome.withLock { $0.add(verdict, of: names[index]) }
      } catch {
        failure.withLock { $0 = $0 ?? error }
      }
      let count = done.wrappingAdd(1, ordering: .relaxed).newValue
      if shows, count % 100 == 0 || count == names.count {
        StandardStreams.error("\(count) of \(names.count) stores")
      }
    }
    if let failure = failure.withLock({ $0 }) { throw failure }
    return outcome.withLock { outcome in
      outcome.refused.sort { $0.name < $1.name }
      return outcome
    }
  }
}

extension JournalReplay.Outcome {
  fileprivate mutating func add(_ verdict: DeployVerdict, of name: StoreName) {
    switch verdict {
    case .same(let actions, let unproven):
      self.actions += actions
      self.unproven += unproven
    case .migrates: migrated += 1
    case .differs(let report):
      actions += report.count
      refused.append((name, verdict))
    case .refuses: refused.append((name, verdict))
    }
  }

  /// How many are shown.
  private static let most = 10

  var text: TerminalText {
    let style = TextStyle(takesColor: StandardStreams.outputTakesColor)
    var text: TerminalText = ""
    for (name, verdict) in refused.prefix(Self.most) {
      switch verdict {
      case .differs(let report):
        guard let difference = report.difference else { continue }
        text += "\(style.bold("\(name)")) \(style.dim("(- recorded, + now)"))\n"
        text += "\(TerminalText(of: difference, style))\n"
      case .refuses(let error): text += "\(style.bold("\(name)")) \(TerminalText(error))\n"
      case .same, .migrates: break
      }
    }
    if refused.count > Self.most { text += style.dim("and \(refused.count - Self.most) more\n") }
    let details =
      "\(count(actions, "action")) reduced again, \(count(migrated, "store")) migrated"
      + (unproven > 0
        ? ", \(count(unproven, "action")) unproven: a dependency gave them what no recording holds"
        : "")
    if refused.isEmpty {
      text += "\(style.green("as recorded")): \(count(stores, "store")) (\(details))\n"
    } else {
      text +=
        "\(style.red("do not deploy")): \(refused.count) of \(count(stores, "store")) differ (\(details))\n"
    }
    return text
  }

  var json: [UInt8] {
    let differing = refused.map { name, verdict -> Value in
      var object: Value.Object = ["store": .string("\(name)")]
      switch verdict {
      case .differs(let report):
        if let difference = report.difference {
          object["n"] = .integer(Int64(difference.number))
          object["action"] = difference.action.value
          object["error"] = difference.actualError.map { .string($0.displayed) }
          object["patch"] = try? JSONPatch.diff(from: difference.expected, to: difference.actual)
            .document
        }
      case .refuses(let error): object["error"] = .string(error.displayed)
      case .same, .migrates: break
      }
      return .object(object)
    }
    let object: Value.Object = [
      "stores": .integer(Int64(stores)), "actions": .integer(Int64(actions)),
      "migrated": .integer(Int64(migrated)), "unproven": .integer(Int64(unproven)),
      "differ": .array(Value.List(differing)),
    ]
    return Array(TerminalJSON.text(Value.object(object).json() + "\n").utf8)
  }
}
