/// The actions and waits of an input, line after line. Prints an error for each line that is
/// neither.
struct InputLines {
  private let name: String
  private var reader: LineReader
  /// Whether a person types the input: there is a prompt, and a typo does not end the run.
  private let isConversation: Bool
  /// Whether a malformed line does not end the input.
  private let keepGoing: Bool
  private(set) var hasReachedEnd = false
  private(set) var isMalformed = false
  private(set) var isUnreadable = false

  init(_ input: InputFile, keepGoing: Bool) {
    name = input.name
    reader = LineReader(input.descriptor)
    isConversation = input.isTerminal && StandardStreams.errorIsTerminal
    self.keepGoing = keepGoing
  }

  /// Reads up to the next line that is not blank. Nil at the end of the input, or if nothing more
  /// is to be read.
  mutating func next() -> InputLine? {
    while true {
      if isConversation { StandardStreams.prompt("› ") }
      switch reader.advance() {
      case .interrupted: return nil
      case .end:
        hasReachedEnd = true
        return nil
      case .failed(let number):
        StandardStreams.error("error: \(name): \(errorText(number))")
        isUnreadable = true
        return nil
      case .tooLong:
        guard refuse(InputLine.Malformed(message: "the line is too long")) else { return nil }
      case .line:
        let line = reader.withLine { bytes in
          Result { () throws(InputLine.Malformed) in try InputLine(bytes) }
        }
        switch line {
        case .success(.blank): break
        case .success(let line): return line
        case .failure(let error): guard refuse(error) else { return nil }
        }
      }
    }
  }

  /// Prints why the current line is malformed. Returns false if nothing more is to be read.
  private mutating func refuse(_ error: InputLine.Malformed) -> Bool {
    if isConversation {
      StandardStreams.error("error: \(error.message)")
      return true
    }
    isMalformed = true
    let line = reader.number
    let position = error.column.map { "\(name):\(line):\($0)" } ?? "\(name):\(line)"
    StandardStreams.error("error: \(position): \(error.message)")
    return keepGoing
  }
}
