/// The reason why a line could not be executed.
struct ConsoleFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
