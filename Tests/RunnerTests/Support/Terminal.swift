import Platform

/// A terminal that a test is the other side of.
final class Terminal {
  private var ours: Int32
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
    hangUp()
    close(theirs)
  }

  /// Closes it, as a window that is closed. Nothing can be read from it any more.
  func hangUp() {
    if ours >= 0 { close(ours) }
    ours = -1
  }

  var streams: [Int32] { [theirs, theirs, theirs] }

  /// Whether it edits lines and echoes.
  var takesLines: Bool { has(tcflag_t(ICANON | ECHO)) }

  /// Whether Ctrl-C sends SIGINT.
  var sendsSignals: Bool { has(tcflag_t(ISIG)) }

  private func has(_ flags: tcflag_t) -> Bool {
    var settings = termios()
    return tcgetattr(theirs, &settings) == 0 && settings.c_lflag & flags == flags
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

  /// The next bytes that the programs in it write; empty if they write nothing for long.
  func readBytes() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 1 << 14)
    var entry = pollfd(fd: ours, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, 60_000) > 0 else { return [] }
    return Array(bytes[..<max(systemRead(ours, &bytes, bytes.count), 0)])
  }

  /// Takes what the programs in it have written, or write soon.
  func drain() { _ = readAtOnce() }

  /// What the programs in it have written, or write soon.
  func readAtOnce() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 1 << 14)
    var entry = pollfd(fd: ours, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, 10) > 0 else { return [] }
    return Array(bytes[..<max(systemRead(ours, &bytes, bytes.count), 0)])
  }

  /// Programs are told of it by a signal, which is not sent from here: it is nobody's controlling terminal.
  func resize(columns: Int, rows: Int) {
    var size = winsize()
    (size.ws_col, size.ws_row) = (UInt16(columns), UInt16(rows))
    _ = ioctl(ours, UInt(TIOCSWINSZ), &size)
  }

  func write(_ text: String) { write(Array(text.utf8)) }

  func write(_ bytes: [UInt8]) { _ = systemWrite(ours, bytes, bytes.count) }
}

private let systemRead = read
private let systemWrite = write
