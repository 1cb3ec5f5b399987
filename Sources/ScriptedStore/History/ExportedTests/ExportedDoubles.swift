import LuaBridge

/// Renders test doubles that answer as the dependencies did in a recording.
struct ExportedDoubles {
  fileprivate struct Answer {
    var answer: DependencyRead.Answer?
    /// How long an effect waited for the answer, in nanoseconds; 0 for less than a millisecond.
    var delay = 0
  }

  private struct Function {
    var answers: [Answer] = []
    var isStream = false
    /// Of what is no function.
    var value: Value?
  }

  /// The functions by their paths in `deps`.
  private var functions: [String: Function] = [:]
  private var order: [String] = []
  /// Whether calls that have no answer wait for ever, because effects make calls that were not recorded.
  private let isEndless: Bool

  /// - Parameters:
  ///   - others: the numbers of effects that the test does not start, so that it leaves out their calls.
  ///   - isEndless: whether a function waits for ever when it has given all answers.
  ///   - unanswered: functions of which no answers were recorded if handlers have not called them.
  init(
    _ entries: [HistoryEntry], without others: Set<Int>, endless isEndless: Bool,
    unanswered: [String]
  ) {
    self.isEndless = isEndless
    /// The calls without an answer yet, by call number: where the answer goes, and when the call
    /// began.
    var open: [Int: (name: String, index: Int, time: Duration)] = [:]
    for entry in entries {
      // What an effect of the test sends is reduced there, even if the store has left it out.
      for read in entry.reads where !entry.isSkipped || entry.source == .effect {
        switch read.source {
        case .dependency(let name): add(Answer(answer: read.answer), to: name)
        case .field(let name):
          guard case .value(let value?) = read.answer, functions[name] == nil else { continue }
          order.append(name)
          functions[name] = Function(value: value)
        case .stack: break
        }
      }
      for note in entry.alarmChanges.added where !entry.isSkipped {
        // An alarm for a date asks for the date of now.
        if case .at = note.due { add(Answer(answer: .value(.float(note.setAt))), to: "date.now") }
      }
      for call in entry.calls {
        switch call.phase {
        case .asked(let name, let isStream):
          if let effect = call.effect, others.contains(effect) { continue }
          add(Answer(answer: nil), to: name, isStream: isStream)
          open[call.number] = (name, (functions[name]?.answers.count ?? 1) - 1, call.time)
        case .answered(let answer):
          guard let (name, index, time) = open.removeValue(forKey: call.number) else { continue }
          let delay = ExportedTime.nanoseconds(call.time) - ExportedTime.nanoseconds(time)
          functions[name]?.answers[index] = Answer(
            answer: answer, delay: delay < 1_000_000 ? 0 : delay)
        }
      }
    }
    for name in unanswered where functions[name] == nil {
      order.append(name)
      functions[name] = Function()
    }
  }

  private mutating func add(_ answer: Answer, to name: String, isStream: Bool = false) {
    if functions[name] == nil { order.append(name) }
    functions[name, default: Function()].answers.append(answer)
    if isStream { functions[name]?.isStream = true }
  }

  private var all: [Answer] { functions.values.flatMap(\.answers) }

  /// Whether any double sleeps before it answers.
  var waits: Bool { all.contains { $0.delay > 0 } }

  /// Whether a double stands in for a function of the clock.
  var replacesClock: Bool { order.contains { $0.hasPrefix("clock.") } }

  /// The lines of the Lua helper functions that make the doubles.
  var helpers: [String] {
    guard functions.values.contains(where: { !$0.answers.isEmpty }) else { return [] }
    let rest = isEndless ? "{ never = true }" : "error(\"this was not asked so often\", 2)"
    var lines = [
      "", "-- A function that gives these answers one after the other.",
      "local function answering(answers)", "  local count = 0", "  return function()",
      "    count = count + 1", "    local answer = answers[count] or \(rest)",
    ]
    if waits { lines.append("    if answer.after then clock.sleep(answer.after) end") }
    if isEndless || all.contains(where: { $0.answer == nil }) {
      lines.append("    if answer.never then return test.never() end")
    }
    if all.contains(where: { $0.answer?.isError == true }) {
      lines.append("    if answer.error then error(answer.error, 2) end")
    }
    let haveSeveral = all.contains { if case .values? = $0.answer { true } else { false } }
    if haveSeveral {
      lines.append(
        "    if answer.results then return table.unpack(answer.results, 1, answer.results.n) end")
    }
    lines += ["    return answer.value", "  end", "end"]
    if functions.values.contains(where: \.isStream) {
      lines += [
        "", "-- A stream of what a function returns.",
        "local function iterating(next) return function() return next end end",
      ]
    }
    return lines + [""]
  }

  /// The `dependencies` option of the exported test's store.
  func options(hasClock: Bool) -> [String] {
    if functions.isEmpty {
      return hasClock ? ["dependencies = { clock = clock },"] : []
    }
    var lines = ["dependencies = {"]
    if hasClock && functions["clock.now"] == nil { lines.append("  clock = clock,") }
    return lines + members(below: []) + ["},"]
  }

  /// The highest nesting of generated tables. It bounds the recursion of ``members(below:)``.
  private static let greatestDepth = 128

  /// The keys that lead to a function in `deps`; at least one, even if the recorded name is empty.
  private static func path(_ name: String) -> [String] {
    name.splitAtDots(atMost: greatestDepth - 1, keepsEmpty: true)
  }

  /// The fields of the table at `path`: the functions, and the tables below.
  private func members(below path: [String]) -> [String] {
    let depth = path.count + 1
    let indent = String(repeating: "  ", count: depth)
    var lines: [String] = []
    var clients: [String] = []
    for name in order {
      let full = Self.path(name)
      guard full.count > path.count, full.starts(with: path) else { continue }
      let key = full[path.count]
      if full.count == path.count + 1 {
        lines.append("\(indent)\(LuaText.key(key)) = \(text(of: name).indented(depth)),")
      } else if !clients.contains(key) {
        clients.append(key)
        lines.append("\(indent)\(LuaText.key(key)) = {")
        if path.isEmpty && key == "clock" {
          lines.append("    sleep = clock.sleep, timer = clock.timer,")
        }
        lines += members(below: path + [key])
        lines.append("\(indent)},")
      }
    }
    return lines
  }

  private func text(of name: String) -> String {
    guard let function = functions[name] else { return "nil" }
    if let value = function.value { return LuaText.text(value) }
    if function.answers.isEmpty { return "test.never" }
    let answers = function.answers.map(\.text)
    let line = answers.joined(separator: ", ")
    var text = "answering { \(line) }"
    if line.utf8.count > 80 || line.contains("\n") {
      text = "answering {\n" + answers.map { "  \($0.indented(1)),\n" }.joined() + "}"
    }
    return function.isStream ? "iterating(\(text))" : text
  }
}

extension ExportedDoubles.Answer {
  fileprivate var text: String {
    var fields: [String] = []
    if delay > 0 { fields.append("after = \(ExportedTime.seconds(delay))") }
    switch answer {
    case nil: fields.append("never = true")
    case .value(let value?): fields.append("value = \(LuaText.text(value))")
    case .values(let values):
      let results = values.enumerated().compactMap { index, value in
        value.map { "[\(index + 1)] = \(LuaText.text($0))" }
      }
      let list = ["n = \(values.count)"] + results
      fields.append("results = { \(list.joined(separator: ", ")) }")
    case .error(_, let value?): fields.append("error = \(LuaText.text(value))")
    case .error(let message, nil): fields.append("error = \(LuaText.quoted(message))")
    case .opaque: fields.append("--[[ what is no value: write a double for it ]]")
    case .value(nil): break
    }
    return fields.isEmpty ? "{}" : "{ \(fields.joined(separator: ", ")) }"
  }
}
