import LuaBridge

/// The actions that follow from one another without a wait in between. ``Limits/actions`` bounds
/// their number.
///
/// 1. A burst begins with an action from outside, and with each effect that goes on after a wait.
/// 2. An action belongs to the burst if an effect sends it that was started in the burst and has
///    not waited since, or if a node sends it that has appeared because of the burst.
/// 3. A wait is a sleep of more than no time on a clock that passes by itself or by hand, or a call
///    of an asynchronous host function.
/// 4. `effect.yield`, `clock.sleep(0)`, a clock that passes at once, and a wait for parts that
///    ended without a wait are no waits.
///
/// So a timer may tick for ever, and a cycle of actions ends, however many effects it spreads over.
// Proof: only the thread inside the worker of its store uses it. A request to the worker may retain it meanwhile.
final class Burst: @unchecked Sendable {
  /// The number of actions that effects have sent in the burst.
  var count: Int
  /// Whether the host was warned that actions of the burst are refused.
  var isReported = false
  /// Whether actions of nodes that have appeared belong to the burst.
  var hasAppearances = false
  /// The names of some actions, by the actions' numbers in the store.
  private var names: [Int: String] = [:]
  /// Which named action's effects send which action.
  private var edges: [(from: String, to: String)] = []

  init(count: Int) { self.count = count }

  /// How many actions in a row have their names recorded, so that a cycle can be shown.
  private static let window = 64

  /// Whether to record the name of the action with this number in the burst: the last 64 before the
  /// limit, and 64 after each power of two. The latter are needed because the actions of a burst
  /// that spreads may all be of one kind for a long time.
  static func notes(_ count: Int, of most: Int) -> Bool {
    if most == .max { return false }
    if most <= window * 16 || count > most - window { return true }
    return count >= window && (count & ~(window - 1)).nonzeroBitCount == 1
  }

  var hasNames: Bool { !names.isEmpty }

  func note(_ action: Action, number: Int) { names[number] = Burst.name(of: action) }

  /// Records that an effect sends `action`. The effect was started by the action of this number.
  func note(_ action: Action, from number: Int) {
    guard let from = names[number] else { return }
    let to = Burst.name(of: action)
    if !edges.contains(where: { $0 == (from, to) }) { edges.append((from, to)) }
  }

  /// The error for an action that is refused. It shows a cycle if the recorded names contain one.
  func refusal(of message: Message, from number: Int, most: Int) -> ScriptError {
    note(message.action, from: number)
    let name = Burst.name(of: message.action)
    let from = names[number]
    var cause = cause(through: name) ?? from.flatMap(cause)
    if cause == nil {
      let sender = message.sender.map { " of \($0.feature ?? "a reducer") (\($0.origin))" } ?? ""
      cause = "\(from ?? (hasAppearances ? "a node" : "an effect\(sender)")) sends \(name)"
    }
    var error = ScriptError(
      """
      the action "\(message.action.path)" is refused, because \(senders) have sent \(most) actions in a row without \
      a wait: \(cause ?? ""). \(Burst.remedy), or allow more (Limits.actions, --max-actions)
      """, kind: .actions)
    error.exceeded = ExceededLimit(allowed: Double(most), reached: Double(most) + 1)
    return error
  }

  private var senders: String { hasAppearances ? "effects and nodes that appear" : "effects" }

  private static let remedy =
    "Send it only while there is something left to do, wait in between (clock.sleep)"

  /// An error with the cycle of actions that used up the time, if it is one of the time limit. Slow
  /// observers of the actions can cause it before the limit of actions is reached.
  func explained(_ error: ScriptError) -> ScriptError {
    guard error.kind == .time, let name = edges.last?.to, let cause = cause(through: name) else {
      return error
    }
    var error = error
    error.message +=
      "; \(senders) have sent \(count) actions in a row without a wait: \(cause). \(Burst.remedy)"
    return error
  }

  /// The cycle through an action, in words.
  private func cause(through name: String) -> String? {
    cycle(through: name)?.map { "\($0.from) sends \($0.to)" }.joined(separator: ", ")
  }

  /// The shortest cycle of sends through an action; nil if the recorded sends contain none.
  private func cycle(through name: String) -> [(from: String, to: String)]? {
    var reachedBy: [String: String] = [:]
    var next = [name]
    while !next.isEmpty && reachedBy[name] == nil {
      let current = next
      next = []
      for from in current {
        for edge in edges where edge.from == from && reachedBy[edge.to] == nil {
          reachedBy[edge.to] = from
          next.append(edge.to)
        }
      }
    }
    guard var from = reachedBy[name] else { return nil }
    var way = [(from: from, to: name)]
    while from != name, let before = reachedBy[from] {
      way.append((from: before, to: from))
      from = before
    }
    way.reverse()
    // Begins with the first name in alphabetical order, so that the message is the same wherever
    // the burst was cut off.
    let first = way.indices.min { way[$0].from < way[$1].from } ?? 0
    return Array(way[first...] + way[..<first])
  }

  private static let longestName = 100

  /// The action's path without ids, because a cycle may run over many elements.
  private static func name(of action: Action) -> String {
    var name = ""
    var current: Value? = action.value
    while case .object(let object)? = current, case .string(let type)? = object["type"] {
      name += name.isEmpty ? type : ".\(type)"
      current = object["action"]
    }
    return name.utf8.count <= longestName ? name : "\(name.prefix(longestName))…"
  }
}
