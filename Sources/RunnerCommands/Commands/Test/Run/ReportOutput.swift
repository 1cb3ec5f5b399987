import ArgumentParser
import Platform

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
    guard let number = stream.failure, !stream.isClosed else { return nil }
    return "\(option.file ?? "standard output"): \(errorText(number))"
  }

  func close() {
    if !isStandard { stream.close() }
  }
}
