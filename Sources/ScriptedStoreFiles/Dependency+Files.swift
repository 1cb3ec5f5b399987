import LuaBridge
@_exported import ScriptedStore
import ScriptedStoreClients

extension Dependency {
  /// Files in one folder, and nothing outside of it, for scripts to wait for in `effect.run`.
  ///
  /// ```swift
  /// dependencies.register("files", live: try .files(in: "/var/lib/app/notes"))
  /// ```
  ///
  /// | in Lua | |
  /// | --- | --- |
  /// | `files.read(path, { as }?)` | what is in a file: a string, with `as = "json"` the value of its JSON, with `as = "base64"` its bytes in Base64 |
  /// | `files.write(path, contents, { as }?)` | replaces a file or makes one, whole or not at all |
  /// | `files.append(path, contents, { as }?)` | puts text, JSON or bytes behind what is there |
  /// | `files.remove(path)` | takes out a file or an empty folder; false if there was none |
  /// | `files.list(path?)` | `{ { name, kind = "file" or "folder" or "other", size } }`, in the order of the names' bytes |
  /// | `files.exists(path)` | whether there is a file or a folder |
  /// | `files.makeFolder(path)` | makes a folder and those that it is in |
  ///
  /// Paths are relative to the folder, with `/` between names. An absolute one and `..` are refused, and a
  /// link is never followed, wherever it leads and whoever makes one meanwhile; nor are pipes and
  /// devices opened. (Hard links and mounts cannot be told from files and folders.) What fails raises `{ code,
  /// message, path }`; `code` is `notFound`, `isFolder`, `notFolder`, `notFile`, `link`, `notEmpty`, `denied`, `full`,
  /// `tooLarge`, `notText` (not UTF-8), `malformed` (not JSON) or another.
  ///
  /// Writing makes a file beside the other, brings it to the disk and gives it its name, so that a crash or a
  /// full disk leaves the old one. It goes on if the effect is cancelled meanwhile. Calls run one after the other,
  /// on a thread of the folder's own.
  ///
  /// - Parameters:
  ///   - folder: The folder, which must be there. It stays the same one if it is moved.
  ///   - limit: How many bytes a file may have that is read or written, 10 MiB if left out.
  /// - Throws: A ``ScriptError`` if the folder cannot be opened.
  public static func files(in folder: String, limit: Int = 10 << 20) throws -> Dependency {
    let folder = try Folder(folder, limit: max(0, limit))
    return files { folder }
  }

  /// The same functions where there is no folder: calling them raises this.
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
        try await folder().perform("write", path) { try $0.replace($1, with: bytes) }
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
    try Options(options, of: function, known: ["as"]).format() ?? .text
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
