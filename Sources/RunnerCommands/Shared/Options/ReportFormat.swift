import ArgumentParser

/// The argument of `--format` of run and replay.
enum ReportFormat: String, ExpressibleByArgument, CaseIterable {
  case text
  case json

  /// The format without an option: text on a terminal, and JSON elsewhere.
  static var usual: ReportFormat { StandardStreams.outputIsTerminal ? .text : .json }
}
