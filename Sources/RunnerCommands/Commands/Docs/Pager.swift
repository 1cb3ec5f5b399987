import Platform

/// Prints a long text: through `$PAGER`, or less, on a terminal, and as it is elsewhere.
enum Pager {
  static func print(_ text: TerminalText) throws {
    guard StandardStreams.outputIsTerminal, StandardStreams.environment("TERM") != "dumb",
      show(text, with: program)
    else { return try StandardStreams.output(text.bytes) }
  }

  private static var program: String {
    let chosen = StandardStreams.environment("PAGER")
    return chosen.isEmpty ? "less" : chosen
  }

  /// Returns false if the shell does not find the program.
  private static func show(_ text: TerminalText, with program: String) -> Bool {
    // As git does: less ends by itself if all is on the screen, shows colours, and leaves the text
    // on the screen.
    setenv("LESS", "FRX", 0)
    guard let pager = popen(program, "w") else { return false }
    let bytes = text.bytes
    fwrite(bytes, 1, bytes.count, pager)
    let status = pclose(pager)
    let notFound: Int32 = 127
    return (status >> 8) & 0xFF != notFound
  }
}
