/// The reason why a line could not be executed.
struct ConsoleFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  /// Runs `body`, and throws its error as a failure with the same message.
  static func catching<Result>(_ body: () throws -> Result) throws(ConsoleFailure) -> Result {
    do {
      return try body()
    } catch {
      throw ConsoleFailure(ScriptPaths.inMessage("\(error)"))
    }
  }
}
