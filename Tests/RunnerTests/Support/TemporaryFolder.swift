import Foundation

/// A folder that goes with its last reference.
final class TemporaryFolder {
  let folder: URL

  init(_ files: [String: String] = [:]) throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("runner-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, text) in files { try write(text, to: name) }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  var path: String { folder.path }

  func url(_ name: String) -> URL { folder.appendingPathComponent(name) }

  func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: url(name))
  }

  func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(at: url(name), withIntermediateDirectories: true)
  }

  func text(_ name: String) throws -> String {
    // Foundation loses a page with each empty file that it reads.
    guard try url(name).resourceValues(forKeys: [.fileSizeKey]).fileSize != 0 else { return "" }
    return String(decoding: try Data(contentsOf: url(name)), as: UTF8.self)
  }
}
