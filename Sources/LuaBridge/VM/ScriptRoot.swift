#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The folder that `require` reads, and nothing outside it.
public struct ScriptRoot: Sendable {
  /// As given; scripts are named in messages relative to it.
  public let path: String
  /// Without links.
  package let real: String

  /// Throws if there is no such folder.
  public init(_ path: String) throws(ScriptError) {
    guard let real = ScriptRoot.realPath(path) else {
      throw ScriptError("there is no script root \(path): \(String(cString: strerror(errno)))")
    }
    guard ScriptRoot.realPath(real + "/.") != nil else {
      throw ScriptError("the script root \(path) is not a folder")
    }
    self.path = path
    self.real = real
  }

  /// A script that is there.
  public struct Script: Sendable {
    /// In messages: its path relative to the root, or as the host gave it.
    public let name: String
    /// Absolute, without links.
    package let path: String

    package init(name: String, path: String) {
      self.name = name
      self.path = path
    }

    /// Its text.
    public func read() throws(ScriptError) -> [UInt8] { try ScriptRoot.read(path, named: name) }
  }

  /// The script of a module name: `a.b` is `a/b.lua` or `a/b/init.lua`. Nil if neither is there.
  public func module(_ name: String) throws(ScriptError) -> Script? {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    let isName =
      !name.isEmpty
      && parts.allSatisfy { part in
        !part.isEmpty && !part.contains { $0 == "/" || $0 == "\\" || $0 == "\0" }
      }
    guard isName else {
      throw ScriptError(
        "'\(name)' is not a module name; modules are named as in require \"folder.module\"")
    }
    let file = parts.joined(separator: "/")
    for candidate in ["\(file).lua", "\(file)/init.lua"] {
      guard let found = ScriptRoot.realPath("\(real)/\(candidate)") else { continue }
      guard found.hasPrefix(real == "/" ? "/" : real + "/") else {
        throw ScriptError("module '\(name)' leads out of the script root through a link")
      }
      return Script(name: candidate, path: found)
    }
    return nil
  }

  /// A script that the host names by its path, wherever that is.
  public func file(_ path: String) throws(ScriptError) -> Script {
    guard let found = ScriptRoot.realPath(path) else {
      throw ScriptError("there is no script \(path)")
    }
    let name = found.hasPrefix(real + "/") ? String(found.dropFirst(real.count + 1)) : path
    return Script(name: name, path: found)
  }

  private static func realPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  fileprivate static func read(_ path: String, named name: String) throws(ScriptError) -> [UInt8] {
    // A pipe without a writer would keep whoever opens it, and a device may never end.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else {
      throw ScriptError("cannot read \(name): \(String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw ScriptError("cannot read \(name): a script must be a regular file")
    }
    var source: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    #if canImport(Darwin)
      let readBytes = Darwin.read
    #elseif canImport(Glibc)
      let readBytes = Glibc.read
    #else
      let readBytes = Musl.read
    #endif
    while true {
      let count = readBytes(descriptor, &chunk, chunk.count)
      if count == 0 { return source }
      guard count > 0 else {
        if errno == EINTR { continue }
        throw ScriptError("cannot read \(name): \(String(cString: strerror(errno)))")
      }
      source += chunk[..<count]
    }
  }
}
