import LuaBridge

/// The actions that follow from one another without a wait in between, which ``Limits/actions`` bounds.
///
/// A burst begins with an action from outside, and with each effect that goes on after a wait. An action belongs to it
/// when an effect sends it that the burst started and that has not waited since. A wait is a sleep of more than no time
/// on a clock whose time passes by itself or by hand, or a call of an asynchronous function of the host. `effect.yield`,
/// `clock.sleep(0)`, a clock that passes at once, and parts that end without a wait are none. So a timer may tick for
/// ever, and a cycle ends however it spreads over effects.
final class Burst {
  /// How many actions effects have sent in it.
  fileprivate(set) var count: Int
  /// Whether it was told that actions of it are refused.
  fileprivate var isReported = false
  /// What some of the actions are called, by their numbers in the store.
  private var names: [Int: String] = [:]
  /// Which of these sends which.
  private var edges: [(from: String, to: String)] = []

  init(count: Int) { self.count = count }

  /// Actions in a row whose names are noted, so that a cycle can be shown.
  private static let window = 64

  /// Whether the action of this number in the burst is one whose name is noted: a few after each power of two, as the
  /// actions of a burst that spreads may be of one kind for long, and the last ones.
  static func notes(_ count: Int, of most: Int) -> Bool {
    if most == .max { return false }
    if most <= window * 16 || count > most - window { return true }
    return count >= window && (count & ~(window - 1)).nonzeroBitCount == 1
  }

  var hasNames: Bool { !names.isEmpty }

  func note(_ action: Action, number: Int) { names[number] = Burst.name(of: action) }

  /// An action is sent by an effect that the action of this number started.
  func note(_ action: Action, from number: Int) {
    guard let from = names[number] else { return }
    let to = Burst.name(of: action)
    if !edges.contains(where: { $0 == (from, to) }) { edges.append((from, to)) }
  }

  /// Why an action is refused.
  func refusal(of message: Message, from number: Int, most: Int) -> ScriptError {
    note(message.action, from: number)
    let name = Burst.name(of: message.action)
    let from = names[number]
    let way = cycle(through: name) ?? from.flatMap(cycle)
    var cause = way?.map { "\($0.from) sends \($0.to)" }.joined(separator: ", ")
    if cause == nil {
      let sender = message.sender.map { " of \($0.feature ?? "a reducer") (\($0.origin))" } ?? ""
      cause = "\(from ?? "an effect\(sender)") sends \(name)"
    }
    var error = ScriptError(
      """
      the action "\(message.action.path)" is refused, because effects have sent \(most) actions in a row without \
      a wait: \(cause ?? ""). Send it only while there is something left to do, wait in between (clock.sleep), or \
      allow more (Limits.actions, --max-actions)
      """, kind: .actions)
    error.exceeded = ExceededLimit(allowed: Double(most), reached: Double(most) + 1)
    return error
  }

  /// The shortest way from an action back to it, beginning anywhere; nil if none is known.
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
    // However far the cycle had come, it is told the same way.
    let first = way.indices.min { way[$0].from < way[$1].from } ?? 0
    return Array(way[first...] + way[..<first])
  }

  private static let longestName = 100

  /// Its path without ids, as a cycle may go over many elements.
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

/// The burst of what a store does now, as far as there is one. It is made when something has to share it.
struct CurrentBurst {
  private var shared: Burst?
  /// Actions that were sent while nothing shared it.
  private var count = 0
  /// Whether one effect was started which need not share it: what that one sends may be counted by itself.
  private var hasStarted = false
  /// The number of the action whose effects are started or run.
  var action = 0

  /// What an effect follows from that is started now.
  @inline(__always)
  mutating func follow() -> Burst? {
    if shared == nil && count == 0 && !hasStarted {
      hasStarted = true
      return nil
    }
    return share()
  }

  mutating func share() -> Burst {
    if let shared { return shared }
    let new = Burst(count: count)
    shared = new
    return new
  }

  /// What an effect follows from that goes on without a wait.
  mutating func rest() -> Burst? { count > 0 ? share() : shared }

  mutating func goOn(_ burst: Burst) { shared = burst }

  mutating func end() {
    if shared != nil { shared = nil }
    count = 0
    hasStarted = false
  }

  /// Counts an action that an effect sends; whether it may.
  @inline(__always)
  mutating func add(_ message: Message, most: Int) -> Bool {
    let number: Int
    if let shared {
      shared.count += 1
      number = shared.count
    } else {
      count += 1
      number = count
    }
    if number > most { return false }
    if Burst.notes(number, of: most) || shared?.hasNames == true {
      share().note(message.action, from: action)
    }
    return true
  }

  /// Why an action is refused that was one too many.
  mutating func refuse(_ message: Message, most: Int) -> ScriptError {
    share().refusal(of: message, from: action, most: most)
  }

  /// The next action that is reduced, which an effect sent, is known by its name if there is reason to.
  @inline(__always)
  mutating func note(_ action: Action, number: Int, most: Int) {
    if Burst.notes(shared?.count ?? count, of: most) { share().note(action, number: number) }
  }

  /// What is said of an action that is refused and that no running effect hears of; nil but for the first of the burst.
  mutating func warning(of message: Message, most: Int) -> RuntimeWarning? {
    let burst = share()
    guard !burst.isReported else { return nil }
    burst.isReported = true
    let sender = message.sender
    let error = refuse(message, most: most)
    return RuntimeWarning(
      kind: .effectError,
      message: "an effect\(sender?.feature.map { " of \($0)" } ?? "") failed: \(error)",
      origin: sender?.origin ?? "?", action: message.action.path)
  }
}
