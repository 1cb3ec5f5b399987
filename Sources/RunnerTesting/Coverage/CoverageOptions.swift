import ArgumentParser
import Platform
import RunnerShared

/// The options for line coverage.
struct CoverageOptions: ParsableArguments {
  @Flag(
    name: .customLong("coverage"),
    help: """
      Print how many lines of each script ran, and write lcov.info and cobertura.xml into the folder \
      for coverage.
      """)
  var isOn = false

  @Option(
    name: .customLong("coverage-folder"),
    help: ArgumentHelp("Where these files go. (default: coverage)", valueName: "folder"))
  var folder: String?

  @Option(
    name: .customLong("coverage-threshold"),
    help: ArgumentHelp(
      "Fail when less than so many percent of the lines ran.", valueName: "percent"))
  var threshold: Double?

  func validate() throws {
    if let threshold, !(0...100).contains(threshold) {
      throw ValidationError("--coverage-threshold is a number from 0 to 100")
    }
  }

  /// Whether any option asks for coverage.
  var isWanted: Bool { isOn || folder != nil || threshold != nil }

  func isMet(by table: CoverageTable) -> Bool {
    guard let threshold, table.total.share * 100 < threshold else { return true }
    let wanted = "\(fixed(threshold, 1)) %"
    StandardStreams.error(
      table.rows.isEmpty
        ? "error: no script ran, and \(wanted) of the lines should"
        : "error: \(table.total.text) of the lines ran, less than \(wanted)")
    return false
  }

  /// Writes the reports.
  ///
  /// - Parameter time: seconds since 1970.
  func write(_ table: CoverageTable, time: Double) throws(ExitCode) {
    let folder = folder ?? "coverage"
    for (name, text) in [
      ("lcov.info", LCOV.text(of: table)), ("cobertura.xml", Cobertura.text(of: table, time: time)),
    ] {
      let path = Paths.join(folder, name)
      do throws(FileFault) {
        try WholeFile.makeFolder(folder)
        try OrdinaryFile.save(Array(text.utf8), to: path)
      } catch {
        throw fail(.ioError, "\(path) cannot be written: \(error)")
      }
    }
  }
}
