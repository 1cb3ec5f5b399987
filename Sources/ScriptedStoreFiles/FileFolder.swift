import Platform

/// Keeps the files that people choose in `ui.file`, and gives the files that `ui.link { file = … }` and `ui.image { file = … }`
/// name. ``FileFolder`` keeps them in a folder; a host may write another one, for a store of objects.
public protocol FileExchange: Sendable {
  /// The largest file that is kept, in bytes.
  var limit: Int { get }

  /// Keeps a file.
  ///
  /// - Parameter name: the name that the person's machine has for it, which may be any text.
  /// - Returns: the path by which scripts know it.
  func keep(_ bytes: [UInt8], named name: String) async throws -> String

  /// The bytes of the file at a path that a view has given.
  func contents(of path: String) async throws -> [UInt8]

  /// Removes a file that was kept, and then refused.
  func remove(_ path: String) async throws
}

/// A folder in which people's files are kept below `uploads`. With `Dependency.files(in:)` scripts read the same folder.
public struct FileFolder: FileExchange {
  let folder: Folder
  public var limit: Int { folder.limit }

  /// - Parameters:
  ///   - path: the folder, which must exist.
  ///   - limit: the largest size of a file in bytes; 10 MiB by default.
  /// - Throws: a `ScriptError` if the folder cannot be opened.
  public init(_ path: String, limit: Int = 10 << 20) throws {
    folder = try Folder(path, limit: max(0, limit))
  }

  /// The name on disk is a new one each time, with the ending of the file's own name, so that no name that a person gives can
  /// replace a file or lead elsewhere.
  public func keep(_ bytes: [UInt8], named name: String) async throws -> String {
    let path = "uploads/\(Secret.random())\(FileFolder.ending(of: name))"
    try await folder.perform("keep", path) { folder, file in
      try folder.makeParent(of: file)
      try folder.replace(file, with: bytes)
    }
    return path
  }

  public func contents(of path: String) async throws -> [UInt8] {
    try await folder.perform("read", path) { try $0.contents(of: $1) }
  }

  public func remove(_ path: String) async throws {
    _ = try await folder.perform("remove", path) { try $0.remove($1) }
  }

  /// `.png`; empty for a name without an ending of letters and digits.
  private static func ending(of name: String) -> String {
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return "" }
    let ending = name.utf8[dot...].dropFirst()
    guard ending.allSatisfy(\.isASCIILetterOrDigit), 1...10 ~= ending.count else { return "" }
    return "." + String(decoding: ending, as: UTF8.self).lowercased()
  }
}
