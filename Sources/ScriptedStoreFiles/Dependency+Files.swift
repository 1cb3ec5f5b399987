import LuaBridge
@_exported import ScriptedStore

extension Dependency {
  /// Files in one folder, and nothing outside of it. Scripts wait for them in `effect.run`.
  ///
  /// ```swift
  /// dependencies.register("files", live: try .files(in: "/var/lib/app/notes"))
  /// ```
  ///
  /// The functions in Lua are:
  ///
  /// - `files.read(path, { as }?)`: the content of a file, as a string; with `as = "json"` the
  ///   value of its JSON; with `as = "base64"` its bytes in Base64.
  /// - `files.write(path, contents, { as }?)`: replaces or makes a file, completely or not at all.
  /// - `files.append(path, contents, { as }?)`: appends text, JSON or bytes to a file, which is
  ///   made if there is none.
  /// - `files.remove(path)`: removes a file or an empty folder; returns false if there was none.
  /// - `files.list(path?)`: `{ { name, kind = "file" or "folder" or "other", size } }`, sorted by
  ///   the bytes of the names.
  /// - `files.exists(path)`: whether there is a file or a folder.
  /// - `files.makeFolder(path)`: makes a folder and its missing parents.
  ///
  /// Paths are relative to the folder, with `/` between names. Absolute paths and `..` are refused.
  /// A symbolic link is never followed, wherever it leads, even if another process makes it at that
  /// moment; pipes and devices are not opened. (Hard links and mounts cannot be told from files and
  /// folders.) A failure raises `{ code, message, path }`; `code` is `notFound`, `isFolder`,
  /// `notFolder`, `notFile`, `link`, `notEmpty`, `denied`, `full`, `tooLarge`, `notText` (not
  /// UTF-8), `malformed` (not JSON) or another.
  ///
  /// Writing makes a temporary file beside the old one, flushes it to the disk and renames it, so
  /// that after a crash or on a full disk the old file is still there. It continues if the effect
  /// is cancelled meanwhile. Calls run one after the other, on a thread that belongs to the folder.
  ///
  /// - Parameters:
  ///   - folder: The folder, which must exist. If it is moved, the same folder remains in use.
  ///   - limit: The largest size in bytes of a file that is read or written; 10 MiB by default.
  /// - Throws: A ``ScriptError`` if the folder cannot be opened.
  public static func files(in folder: String, limit: Int = 10 << 20) throws -> Dependency {
    files(in: try FileFolder(folder, limit: limit))
  }

  /// The same functions on the folder in which people's files are kept.
  public static func files(in folder: FileFolder) -> Dependency { files { folder.folder } }

  /// The same functions for the case that there is no folder: each call raises `error`.
  package static func files(raising error: ScriptError) -> Dependency { files { throw error } }

  private static func files(_ folder: @escaping @Sendable () throws -> Folder) -> Dependency {
    .client([
      "read": .asyncFunction("path", "options") { (path: String, options: Value?) -> Value in
        let format = try format(options, of: "files.read")
        return try await folder().perform("read", path) { folder, path in
          try value(of: try folder.contents(of: path), as: format)
        }
      },
      "write": .asyncFunction("path", "contents", "options") {
        (path: String, contents: Value, options: Value?) in
        let bytes = try bytes(of: contents, options, of: "files.write")
        try await folder().perform("write", path) { _ = try $0.replace($1, with: bytes) }
      },
      "append": .asyncFunction("path", "contents", "options") {
        (path: String, contents: Value, options: Value?) in
        let bytes = try bytes(of: contents, options, of: "files.append")
        try await folder().perform("append to", path) { try $0.append(bytes, to: $1) }
      },
      "remove": .asyncFunction("path") { (path: String) -> Bool in
        try await folder().perform("remove", path) { try $0.remove($1) }
      },
      "list": .asyncFunction("path") { (path: String?) -> Value in
        try await folder().perform("list", path ?? "") { folder, path in
          Value.array(Value.List(try folder.list(path).map(\.value)))
        }
      },
      "exists": .asyncFunction("path") { (path: String) -> Bool in
        try await folder().perform("look for", path) { try $0.exists($1) }
      },
      "makeFolder": .asyncFunction("path") { (path: String) in
        try await folder().perform("make the folder", path) { try $0.makeFolder($1) }
      },
    ])
  }

  private static func format(_ options: Value?, of function: String) throws -> ContentFormat {
    try FunctionOptions(options, of: function, known: ["as"]).format() ?? .text
  }

  private static func bytes(
    of contents: Value, _ options: Value?, of function: String
  ) throws -> [UInt8] {
    let format = try format(options, of: function)
    guard let bytes = format.bytes(of: contents) else {
      throw ScriptError(
        "bad argument #2 'contents' to '\(function)' (\(format.expected) expected, got "
          + "\(LuaValue(contents).typeName))")
    }
    return bytes
  }

  private static func value(of bytes: [UInt8], as format: ContentFormat) throws -> Value {
    do {
      return try format.value(of: bytes)
    } catch {
      throw switch error {
      case .notUTF8:
        FileFailure("notText", "it is not UTF-8; as = \"base64\" gives any bytes")
      case .malformed(let fault): FileFailure("malformed", "\(fault)")
      }
    }
  }
}

extension FileEntry {
  fileprivate var value: Value {
    ["name": .string(name), "kind": .string(kind.rawValue), "size": .integer(Int64(size))]
  }
}
