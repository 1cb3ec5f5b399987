import ArgumentParser
import Platform
import RunnerShared

/// Renders the events of a run as text. The caller writes the text of each event at once.
protocol Reporter {
  mutating func text(of event: TestRunEvent) -> String
}

/// A reporter and the destination of its report: `pretty`, `junit=report.xml`.
struct ReporterOption: ExpressibleByArgument {
  enum Kind: String, CaseIterable {
    case pretty
    case dot
    case tap
    case junit
    case json
    case github

    /// The reporter in place of one of busted's output handlers; nil if there is none.
    init?(handler: String) {
      switch handler {
      case "utfTerminal", "plainTerminal", "gtest", "htest": self = .pretty
      default: self.init(rawValue: handler.lowercased())
      }
    }
  }

  let kind: Kind
  /// The path of the report; nil for standard output.
  let file: String?

  init(_ kind: Kind, file: String? = nil) {
    self.kind = kind
    self.file = file
  }

  init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard let name = parts.first, let kind = Kind(rawValue: String(name)) else { return nil }
    if parts.count > 1 && parts[1].isEmpty { return nil }
    self.init(kind, file: parts.count > 1 ? String(parts[1]) : nil)
  }

  /// Whether the report is for people. It then ends with the line that has the counts.
  var isForPeople: Bool { kind == .pretty || kind == .dot }

  /// Whether the report can share a stream with another one, because its lines are recognized among
  /// other lines.
  var canShare: Bool { isForPeople || kind == .github }

  func reporter(isVerbose: Bool) -> any Reporter {
    let style = file == nil ? TextStyle.output : TextStyle(takesColor: false)
    let failureText = FailureText(style: style, isVerbose: isVerbose)
    return switch kind {
    case .pretty: PrettyReporter(failureText)
    case .dot: DotReporter(failureText)
    case .tap: TAPReporter()
    case .junit: JUnitReporter()
    case .json: JSONTestReporter()
    case .github: GitHubReporter()
    }
  }
}

/// A reporter and the stream of its report.
struct ReportOutput {
  let option: ReporterOption
  private var reporter: any Reporter
  private var stream: DescriptorWriter
  /// The text of a report for people before the first result. It is never written if there is no
  /// result.
  private var waiting = ""
  private var hasResult: Bool

  /// Opens the file of the report, and empties it. Throws if it cannot be written.
  init(_ option: ReporterOption, isVerbose: Bool) throws(ExitCode) {
    self.option = option
    hasResult = !option.isForPeople
    reporter = option.reporter(isVerbose: isVerbose)
    guard let file = option.file else {
      stream = DescriptorWriter(STDOUT_FILENO)
      return
    }
    do throws(FileFault) {
      stream = try DescriptorWriter(file: file, O_TRUNC)
    } catch {
      throw fail(.ioError, "the report \(file) cannot be written: \(error)")
    }
  }

  var isStandard: Bool { option.file == nil }

  /// Writes the text of an event. Calls `beforeWriting` first if there is something to write.
  mutating func add(_ event: TestRunEvent, beforeWriting: () -> Void) {
    waiting += reporter.text(of: event)
    hasResult = hasResult || event.isResult
    guard hasResult, !waiting.isEmpty else { return }
    beforeWriting()
    stream.write(Array(waiting.utf8))
    waiting = ""
  }

  /// Whether the reader has closed the stream, so that further output is pointless.
  var isClosed: Bool { stream.isClosed }

  /// Why the report is incomplete; nil if it is complete, or if its reader closed the stream.
  var failure: String? {
    stream.failureText.map { "\(option.file ?? "standard output"): \($0)" }
  }

  func close() {
    if !isStandard { stream.close() }
  }
}
