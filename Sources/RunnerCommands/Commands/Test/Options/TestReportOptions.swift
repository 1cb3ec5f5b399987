import ArgumentParser

/// The options for what is reported, and where.
struct TestReportOptions: ParsableArguments {
  @Option(
    name: .customLong("reporter"),
    help: ArgumentHelp(
      """
      pretty, dot, tap, junit, json or github; with =file into that file instead of standard output. \
      May be repeated. (default: pretty)
      """, valueName: "name[=file]"))
  var named: [ReporterOption] = []

  /// The name of an output handler of busted, which is mapped to a reporter or refused.
  @Option(name: [.customShort("o"), .customLong("output")], help: .hidden)
  var output: String?

  @Flag(name: .shortAndLong, help: "A line for each test, and tracebacks of failed assertions.")
  var verbose = false

  @Option(help: ArgumentHelp("Tell which tests took longest.", valueName: "number"))
  var slowest = 0

  var reporters: [ReporterOption] {
    guard named.isEmpty else { return named }
    return [ReporterOption(output.flatMap(ReporterOption.Kind.init(handler:)) ?? .pretty)]
  }

  func validate() throws {
    if let output, ReporterOption.Kind(handler: output) == nil {
      let names = ReporterOption.Kind.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError(
        "busted's output handler '\(output)' does not run here; --reporter takes \(names)")
    }
    if slowest < 0 { throw ValidationError("--slowest is a number from 0 on") }
    let standard = reporters.filter { $0.file == nil }
    if standard.count > 1, let alone = standard.first(where: { !$0.canShare }) {
      throw ValidationError(
        "\(alone.kind.rawValue) needs standard output for itself; give the others a file: "
          + "--reporter pretty=report.txt")
    }
    if standard.count(where: \.isForPeople) > 1 {
      throw ValidationError("of pretty and dot one can go to standard output")
    }
    let files = named.compactMap(\.file)
    if Set(files).count < files.count {
      throw ValidationError("two reporters cannot write the same file")
    }
  }
}
