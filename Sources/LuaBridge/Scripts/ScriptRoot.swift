import Platform
import ScriptValue

/// The folder from which `require` reads scripts. `require` reads no file outside this folder.
public struct ScriptRoot: Sendable {
  /// The path as the host gave it. Messages name scripts relative to the folder.
  public let path: String
  /// The absolute path without symbolic links.
  package let resolvedPath: String
  /// The beginning of the absolute paths of all files in the folder.
  package var folderPrefix: String { resolvedPath == "/" ? "/" : resolvedPath + "/" }

  /// The path of a file relative to the folder; nil if the file is not in it.
  ///
  /// It goes by bytes, as the names of files do: to Swift's `hasPrefix`, two Unicode forms of one name are
  /// one folder.
  package func relativePath(of path: String) -> String? {
    let prefix = folderPrefix.utf8
    guard path.utf8.starts(with: prefix) else { return nil }
    return String(Substring(path.utf8.dropFirst(prefix.count)))
  }

  /// Throws if there is no such folder.
  public init(_ path: String) throws(ScriptError) {
    guard let real = realPath(path) else {
      throw ScriptError("there is no script root \(path): \(String(cString: strerror(errno)))")
    }
    guard realPath(real + "/.") != nil else {
      throw ScriptError("the script root \(path) is not a folder")
    }
    self.path = path
    resolvedPath = real
  }

  /// An existing script.
  public struct Script: Sendable {
    /// The name in messages: the path relative to the root, or as the host gave it.
    public let name: String
    /// The absolute path without symbolic links.
    package let path: String

    package init(name: String, path: String) {
      self.name = name
      self.path = path
    }

    /// Reads the bytes of the script, without a byte order mark and without the text of a first line
    /// that begins with `#`. Throws if it cannot be read or is not a regular file.
    public func read() throws(ScriptError) -> [UInt8] {
      ScriptRoot.text(of: try ScriptRoot.read(path, named: name))
    }
  }

  /// Removes what Lua's own loader of files passes over: a byte order mark, and the text of a first
  /// line that begins with `#`. The end of that line stays, so that the other lines keep their
  /// numbers.
  private static func text(of bytes: [UInt8]) -> [UInt8] {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = bytes.starts(with: mark) ? bytes[mark.count...] : bytes[...]
    if text.first == UInt8(ascii: "#") {
      return Array(text.drop { $0 != UInt8(ascii: "\n") })
    }
    return text.count == bytes.count ? bytes : Array(text)
  }

  /// The script of a module name: `a.b` is `a/b.lua` or `a/b/init.lua`. Nil if neither exists.
  /// Throws for a malformed name, and for a file outside of the root.
  public func module(_ name: String) throws(ScriptError) -> Script? {
    let parts = name.splitAtDots(keepsEmpty: true)
    let isName = parts.allSatisfy { part in
      !part.isEmpty && !part.utf8.contains { "/\\\0".utf8.contains($0) }
    }
    guard isName else {
      throw ScriptError(
        "'\(name)' is not a module name; modules are named as in require \"folder.module\"")
    }
    let file = parts.joined(separator: "/")
    for candidate in ["\(file).lua", "\(file)/init.lua"] {
      guard let found = realPath("\(resolvedPath)/\(candidate)") else { continue }
      guard relativePath(of: found) != nil else {
        throw ScriptError("module '\(name)' leads out of the script root through a link")
      }
      return Script(name: candidate, path: found)
    }
    return nil
  }

  /// The script at a path that the host gives, which may be outside of the root. Throws if it does
  /// not exist.
  public func file(_ path: String) throws(ScriptError) -> Script {
    guard let found = realPath(path) else {
      throw ScriptError("there is no script \(path)")
    }
    return Script(name: relativePath(of: found) ?? path, path: found)
  }

  /// A longer file is not read at all, whatever ``LuaLimits/sourceSize`` is.
  private static let longestScript = 64 << 20

  fileprivate static func read(_ path: String, named name: String) throws(ScriptError) -> [UInt8] {
    do throws(FileFault) {
      return try OrdinaryFile.contents(of: path, atMost: longestScript)
    } catch {
      switch error {
      case .special, .system(EISDIR):
        throw ScriptError("cannot read \(name): a script must be a regular file")
      default: throw ScriptError("cannot read \(name): \(error)")
      }
    }
  }
}

extension ScriptRoot {
  /// The module whose name is nearest to a name that no module has; nil if none is near. Reads the
  /// folders on the way to it: in each, the entry with the segment's name counts, or else the
  /// nearest one.
  ///
  /// - Parameter provided: names of modules that are not files.
  package func nearestModule(to name: String, provided: [String] = []) -> String? {
    if let nearest = Suggestion.nearest(to: name, in: provided) { return nearest }
    let segments = name.splitAtDots(keepsEmpty: true)
    var found: [String] = []
    for segment in segments {
      let folder = ([resolvedPath] + found).joined(separator: "/")
      let isLast = found.count == segments.count - 1
      let names = ((try? namesInFolder(folder)) ?? []).compactMap { entry -> String? in
        if entry.hasSuffix(".lua") { return isLast ? String(entry.dropLast(4)) : nil }
        return entry.contains(".") ? nil : entry
      }
      guard
        let next = names.contains(segment) && !isLast
          ? segment : Suggestion.nearest(to: segment, in: names)
      else { return nil }
      found.append(next)
    }
    let nearest = found.joined(separator: ".")
    return nearest != name && (try? module(nearest)) != nil ? nearest : nil
  }
}
