import ArgumentParser

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A reporter with the stream that it writes to.
struct ReportOutput {
  let option: ReporterOption
  private var reporter: any Reporter
  private var stream: OutputStream
  /// What a report for people says before there is a result: without one there is no report.
  private var waiting = ""
  private var hasResult: Bool

  /// Opens the file, which loses what was in it. Throws if that cannot be written.
  init(_ option: ReporterOption, root: String, isVerbose: Bool) throws(ExitCode) {
    self.option = option
    hasResult = !option.isForPeople
    reporter = option.reporter(root: root, isVerbose: isVerbose)
    guard let file = option.file else {
      stream = OutputStream(STDOUT_FILENO)
      return
    }
    let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      throw fail(.ioError, "the report \(file) cannot be written: \(errorText(errno))")
    }
    stream = OutputStream(descriptor)
  }

  /// Whether it goes to standard output.
  var isStandard: Bool { option.file == nil }

  /// Calls `beforeWriting` if there is something to write.
  mutating func add(_ event: TestRunEvent, beforeWriting: () -> Void) {
    waiting += reporter.text(of: event)
    hasResult = hasResult || event.isResult
    guard hasResult, !waiting.isEmpty else { return }
    beforeWriting()
    stream.write(Array(waiting.utf8))
    waiting = ""
  }

  /// Nobody reads it any more: there is no point in going on.
  var isClosed: Bool { stream.isClosed }

  /// Why it is not complete, unless its reader has seen enough.
  var failure: String? {
    guard let number = stream.failure, !stream.isClosed else { return nil }
    return "\(option.file ?? "standard output"): \(errorText(number))"
  }

  func close() {
    if !isStandard { stream.close() }
  }
}
