import ArgumentParser

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
    let takesColor = file == nil && StandardStreams.outputTakesColor
    return switch kind {
    case .pretty: PrettyReporter(takesColor: takesColor, isVerbose: isVerbose)
    case .dot: DotReporter(takesColor: takesColor, isVerbose: isVerbose)
    case .tap: TAPReporter()
    case .junit: JUnitReporter()
    case .json: JSONTestReporter()
    case .github: GitHubReporter()
    }
  }
}
