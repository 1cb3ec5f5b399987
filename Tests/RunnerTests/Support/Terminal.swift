import Platform

/// A terminal that a test is the other side of.
final class Terminal {
  private let ours: Int32
  private let theirs: Int32

  init() throws {
    (ours, theirs) = try RunnerProcess.withoutSpawning {
      var (ours, theirs): (Int32, Int32) = (-1, -1)
      guard openpty(&ours, &theirs, nil, nil, nil) == 0 else {
        throw RunnerProcess.SpawnError(number: errno)
      }
      for end in [ours, theirs] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      return (ours, theirs)
    }
  }

  deinit {
    close(ours)
    close(theirs)
  }

  var streams: [Int32] { [theirs, theirs, theirs] }

  /// Whether it edits lines and echoes.
  var takesLines: Bool {
    var settings = termios()
    guard tcgetattr(theirs, &settings) == 0 else { return false }
    return settings.c_lflag & tcflag_t(ICANON | ECHO) == tcflag_t(ICANON | ECHO)
  }

  /// What the programs in it write, up to and with a text, or until they have written nothing for long.
  @discardableResult
  func read(until end: String) -> String {
    var text = ""
    var bytes = [UInt8](repeating: 0, count: 1024)
    while !text.contains(end) {
      var entry = pollfd(fd: ours, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, 60_000) > 0 else { return text }
      let count = systemRead(ours, &bytes, bytes.count)
      guard count > 0 else { return text }
      text += String(decoding: bytes[..<count], as: UTF8.self)
    }
    return text
  }

  /// Takes what the programs in it have written, or write soon.
  func drain() {
    var bytes = [UInt8](repeating: 0, count: 1 << 14)
    var entry = pollfd(fd: ours, events: Int16(POLLIN), revents: 0)
    if poll(&entry, 1, 10) > 0 { _ = systemRead(ours, &bytes, bytes.count) }
  }

  /// Programs are told of it by a signal, which is not sent from here: it is nobody's controlling terminal.
  func resize(columns: Int, rows: Int) {
    var size = winsize()
    (size.ws_col, size.ws_row) = (UInt16(columns), UInt16(rows))
    _ = ioctl(ours, UInt(TIOCSWINSZ), &size)
  }

  func write(_ text: String) { _ = systemWrite(ours, Array(text.utf8), text.utf8.count) }
}

private let systemRead = read
private let systemWrite = write
