import DequeModule
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
  fileprivate(set) var count: Int
  /// Whether the host was warned that actions of the burst are refused.
  fileprivate var isReported = false
  /// Whether actions of nodes that have appeared belong to the burst.
  fileprivate var hasAppearances = false
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
  fileprivate func explained(_ error: ScriptError) -> ScriptError {
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

/// The burst that a store is in now. The ``Burst`` object is made only when an effect is to share it,
/// or when the name of an action must be recorded.
///
/// ```
///   empty --add()--> counting            `count` > 0
///     |                 |
///     +-----------------+--share(), or a name to record--> shared
/// ```
///
/// `goOn` enters the burst of an effect that continues; `end()` leads back to `empty`.
///
/// It is a class, because asking a struct in the store whether it is open takes a dynamic exclusivity check after each action:
/// 30 ns of a send of 450.
final class CurrentBurst {
  /// The actions that effects have sent and that are not reduced yet, first in, first out.
  var queue: Deque<Message> = []
  /// The number of actions that effects may send in one burst.
  let most: Int
  /// Whether anything has happened since ``end()``.
  private(set) var isOpen = false
  private var shared: Burst?
  /// The number of actions that were sent before `shared` was made.
  private var count = 0
  /// The number of the action whose effects are being started or run.
  var action = 0

  init(most: Int) { self.most = most }

  /// The burst as an object, made now if there was none.
  func share() -> Burst {
    isOpen = true
    if let shared { return shared }
    let new = Burst(count: count)
    shared = new
    return new
  }

  /// The burst for an effect that goes on later without a wait; nil if nothing has happened in it.
  func rest() -> Burst? { count > 0 ? share() : shared }

  /// Enters the burst of an effect that continues; a new one if that is nil.
  ///
  /// - Parameter action: the number of the action that the effect follows from.
  @inline(__always)
  func goOn(_ burst: Burst?, after action: Int) {
    self.action = action
    guard let burst else { return }
    isOpen = true
    shared = burst
  }

  /// Counts the action of a node that has appeared. Returns false if it is one too many.
  func add(appearance message: Message) -> Bool {
    share().hasAppearances = true
    return add(message)
  }

  /// Leaves the burst. What happens afterwards belongs to another one.
  @inline(__always)
  func end() {
    if isOpen { close() }
  }

  private func close() {
    isOpen = false
    if shared != nil { shared = nil }
    count = 0
  }

  /// Counts an action that an effect sends. Returns false if it is one too many.
  @inline(__always)
  func add(_ message: Message) -> Bool {
    isOpen = true
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

  /// The error for an action that is one too many.
  func refuse(_ message: Message) -> ScriptError {
    share().refusal(of: message, from: action, most: most)
  }

  /// An error with the cause that the burst knows for it.
  func explained(_ error: ScriptError) -> ScriptError { shared?.explained(error) ?? error }

  /// Records the name of an action that an effect sent and that is reduced next, if its number
  /// requires it.
  @inline(__always)
  func note(_ action: Action, number: Int) {
    if Burst.notes(shared?.count ?? count, of: most) { share().note(action, number: number) }
  }

  /// The warning about a refused action that no running body sent; nil except for the first one of
  /// the burst.
  ///
  /// - Parameter site: that of the view whose node sent the action; nil for an effect.
  func warning(of message: Message, from site: ViewSite? = nil) -> RuntimeWarning? {
    let burst = share()
    guard !burst.isReported else { return nil }
    burst.isReported = true
    let error = refuse(message)
    let sender =
      if let site {
        "the view of \(site.name)"
      } else {
        "an effect\(message.sender?.feature.map { " of \($0)" } ?? "")"
      }
    return RuntimeWarning(
      kind: .effectError, message: "\(sender) failed: \(error)",
      origin: site?.origin ?? message.sender?.origin ?? "?", action: message.action.path)
  }
}
