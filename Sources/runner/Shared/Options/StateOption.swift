import ArgumentParser
import LuaBridge
import ScriptedStore

/// The argument of `--state`: JSON, or `@` and the path of a JSON file.
struct StateOption {
  let value: Value

  init(_ argument: String) throws {
    if argument.hasPrefix("@") {
      let file = try InputFile(String(argument.dropFirst()))
      do {
        value = try Value(json: file.bytes())
      } catch let error as JSONError {
        throw fail(.dataError, "\(file.name):\(error)")
      }
      guard isState else { throw fail(.dataError, "\(file.name): \(value) is not a state") }
    } else {
      do {
        value = try Value(json: argument)
      } catch {
        throw ValidationError("--state is not JSON: \(error.message) at column \(error.column)")
      }
      guard isState else { throw ValidationError("--state takes an object, not \(value)") }
    }
  }

  private var isState: Bool {
    switch value {
    case .object, .array: true
    default: false
    }
  }
}
