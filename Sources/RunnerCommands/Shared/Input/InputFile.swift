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

  /// The most bytes of an input that is read at once. It may be a pipe or a device, whose end is not
  /// known.
  private static let most = 256 << 20

  /// Reads the rest of the file into memory.
  func bytes() throws(ExitCode) -> [UInt8] {
    do throws(FileFault) {
      return try OrdinaryFile.rest(of: descriptor, atMost: Self.most)
    } catch {
      throw fail(.ioError, "\(name): \(error)")
    }
  }
}
