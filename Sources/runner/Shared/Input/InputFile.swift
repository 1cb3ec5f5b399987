import ArgumentParser
import Platform

/// A file opened for reading, or standard input. The descriptor stays open until the process ends.
struct InputFile {
  let name: String
  let descriptor: Int32

  /// Opens the file at a path; `-` is standard input.
  init(_ path: String) throws(ExitCode) {
    guard path != "-" else {
      name = "standard input"
      descriptor = STDIN_FILENO
      return
    }
    name = path
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw fail(.noInput, "\(path): \(errorText(errno))") }
  }

  var isTerminal: Bool { isatty(descriptor) == 1 }

  /// Reads the rest of the file into memory.
  func bytes() throws(ExitCode) -> [UInt8] {
    do {
      return try WholeFile.rest(of: descriptor)
    } catch {
      throw fail(.ioError, "\(name): \(error)")
    }
  }
}
