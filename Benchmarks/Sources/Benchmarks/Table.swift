import Foundation

/// What is printed: a line a row, as it comes.
struct Table {
  private let width: Int
  private(set) var passed = 0
  private(set) var missed: [String] = []
  private(set) var broken: [String] = []

  init(_ benchmarks: [Benchmark]) {
    width = benchmarks.map(\.name.count).max() ?? 0
    line("", "result", "bar", "", "measured", "floor")
  }

  mutating func add(_ benchmark: Benchmark, _ outcome: Outcome) {
    var verdict = ""
    if let bar = benchmark.bar {
      if outcome.result <= bar {
        passed += 1
        verdict = "ok"
      } else {
        missed.append(benchmark.name)
        verdict = "MISSED"
      }
    }
    line(
      benchmark.name, outcome.unit.text(outcome.result),
      benchmark.bar.map { "≤ " + outcome.unit.text($0) } ?? "", verdict,
      outcome.unit == .bytes ? "" : Table.duration(outcome.subject),
      outcome.floor.map(Table.duration) ?? "")
  }

  mutating func add(_ benchmark: Benchmark, _ error: any Error) {
    broken.append(benchmark.name)
    line(benchmark.name, "", "", "BROKEN", "\(error)", "")
  }

  func end() {
    print("\n\(passed) passed, \(missed.count) failed\(missed.isEmpty ? "" : ":")")
    for name in missed { print("  missed: \(name)") }
    for name in broken { print("  broken: \(name)") }
  }

  private func line(
    _ name: String, _ result: String, _ bar: String, _ verdict: String, _ subject: String,
    _ floor: String
  ) {
    func right(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(0, width - text.count)) + text
    }
    print(
      name + String(repeating: " ", count: max(0, width - name.count)), right(result, 9),
      right(bar, 10), verdict + String(repeating: " ", count: max(0, 6 - verdict.count)),
      right(subject, 10), right(floor, 10), separator: "  ")
    fflush(nil)
  }

  private static func duration(_ nanoseconds: Double) -> String {
    switch nanoseconds {
    case ..<10_000: String(format: "%.0f ns", nanoseconds)
    case ..<10_000_000: String(format: "%.1f µs", nanoseconds / 1e3)
    default: String(format: "%.1f ms", nanoseconds / 1e6)
    }
  }
}

extension Outcome.Unit {
  fileprivate func text(_ value: Double) -> String {
    switch self {
    case .ratio: String(format: "%.2f ×", value)
    case .bytes: String(format: "%.0f bytes", value)
    case .microseconds: String(format: "%.1f µs", value)
    case .milliseconds:
      value < 0.1 ? String(format: "%.1f µs", value * 1000) : String(format: "%.1f ms", value)
    }
  }
}
