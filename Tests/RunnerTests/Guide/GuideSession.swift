import Foundation
import Platform

private let systemWrite = write

/// A `runner dev` that a page talks to.
///
/// Lines go through a named pipe whose both ends stay open here, so that a runner that has ended is no signal.
final class GuideSession {
  private let conversation: Conversation
  private let typed: Int32
  private var lineCount = 0

  init(_ command: String, in folder: TemporaryFolder) throws {
    let pipe = folder.url(".typed-\(UUID().uuidString)").path
    guard mkfifo(pipe, 0o600) == 0 else { throw RunnerProcess.SpawnError(number: errno) }
    typed = open(pipe, O_RDWR | O_CLOEXEC)
    guard typed >= 0 else { throw RunnerProcess.SpawnError(number: errno) }
    conversation = try Conversation(
      command: ["/bin/sh", "-c", command + " < '\(pipe)'"], in: folder.folder)
  }

  deinit { close(typed) }

  /// Types a line, and returns what is printed until it is done. A command that there is not, typed behind it, shows
  /// where that is; or the end of the session does.
  func type(_ line: String) -> String {
    lineCount += 1
    let end = ":end-of-step-\(lineCount)"
    let text = line == ":quit" ? line + "\n" : "\(line)\n\(end)\n"
    _ = systemWrite(typed, text, text.utf8.count)
    if line == ":quit" { return conversation.end().output }
    var lines: [String] = []
    while true {
      let line = conversation.hear()
      if line.contains(end) { break }
      // `hear` returns empty lines for ever when the session has ended.
      if line.isEmpty, lines.suffix(20).count(where: \.isEmpty) == 20 { break }
      lines.append(line)
    }
    return lines.joined(separator: "\n")
  }
}
