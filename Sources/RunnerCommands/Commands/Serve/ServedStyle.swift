import ArgumentParser
import Platform

/// A style sheet that is read whenever a browser loads the page, so that a saved one is seen then.
struct ServedStyle: Sendable {
  private let path: String

  /// Throws if there is no such file.
  init(_ path: String) throws(ExitCode) {
    self.path = path
    do throws(FileFault) {
      _ = try WholeFile.read(path)
    } catch {
      throw fail(.noInput, "--css: \(path): \(error)")
    }
  }

  /// Nil if the file cannot be read now.
  var text: String? { (try? WholeFile.read(path)).map { String(decoding: $0, as: UTF8.self) } }
}
