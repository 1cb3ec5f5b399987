import ScriptValue
import ScriptView
import ScriptedStoreTerminal

/// What a terminal is written.
enum Terminals {
  static let all = [
    Benchmark("terminal: one cell of 200 × 50 changes", bar: 40) { _ in
      let source = Source()
      let screen = TerminalScreen(
        source, size: TerminalSize(columns: 200, rows: 50), takesColor: true)
      _ = screen.bytes()
      var most = 0
      for count in 1...9 {
        source.count = count
        screen.update()
        let bytes = screen.bytes()
        guard !bytes.isEmpty else {
          throw Unexpected(description: "the terminal was written nothing")
        }
        most = max(most, bytes.count)
      }
      return Outcome(result: Double(most), unit: .bytes, subject: Double(most), floor: nil)
    },
    Benchmark("terminal: a frame of 200 × 50 in which one cell changes", bar: nil) { effort in
      let source = Source()
      let screen = TerminalScreen(
        source, size: TerminalSize(columns: 200, rows: 50), takesColor: true)
      var times: [Double] = []
      for round in 0..<effort.rounds * 10 {
        source.count = round % 10
        times.append(
          Clock.thread.time {
            screen.update()
            _ = screen.bytes()
          })
      }
      return Outcome(
        result: times.median / 1e3, unit: .microseconds, subject: times.median, floor: nil)
    },
  ]

  /// A screen with a field, which has the focus, a count, and many texts.
  private final class Source: ScreenSource {
    var count = 0
    let isSettled = true

    private static let texts: [Value] = (0..<46).map {
      .string(String(repeating: "words \($0) ", count: 20))
    }

    var tree: Value {
      let field: Value = ["kind": "textField", "label": "Name", "bind": "name", "value": "Blob"]
      let children: [Value] = [field, .string("Count: \(count)")] + Self.texts
      return ["kind": "column", "children": .array(Value.List(children))]
    }

    func perform(
      _ gesture: ViewGesture, at path: ViewPath, in shown: Value
    ) throws(ViewRefusal) -> ViewOutcome { .nothing }

    func show(_ list: ViewPath, first: Int, count: Int) {}
  }
}
