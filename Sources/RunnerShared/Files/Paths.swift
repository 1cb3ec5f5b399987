import Platform

package enum Paths {
  /// A path as a person types it, with the person's home in the place of `~`.
  static func withHome(_ path: String) -> String {
    guard path.hasPrefix("~/") else { return path }
    return StandardStreams.environment("HOME") + path.dropFirst()
  }

  /// The absolute path without symbolic links; nil if nothing exists there.
  package static func real(_ path: String) -> String? { realPath(path) }

  /// The absolute path, whether or not anything exists there. It has no symbolic links if something
  /// does.
  static func absolute(_ path: String) -> String {
    if let real = real(path) { return real }
    return path.hasPrefix("/") ? path : join(real(".") ?? "", path)
  }

  package static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// The path of `name` in `folder`: `scripts` and `todos.lua` make `scripts/todos.lua`.
  package static func join(_ folder: String, _ name: String) -> String {
    folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
  }

  /// The shortest path from the current folder to what is in it, without `./` in front; other paths
  /// stay as they are.
  package static func fromCurrentFolder(_ path: String) -> String {
    if path.hasPrefix("/") {
      guard let current = real(".") else { return path }
      if path == current { return "." }
      let folder = join(current, "")
      return path.hasPrefix(folder) ? String(path.dropFirst(folder.count)) : path
    }
    var rest = path[...]
    while rest.hasPrefix("./") { rest = rest.dropFirst(2).drop { $0 == "/" } }
    return rest.isEmpty ? "." : String(rest)
  }

  /// The folder that holds what is at a path: all before the last slash.
  package static func folder(of path: String) -> String {
    String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
  }

  /// The path of the first of some programs that the folders of `PATH` have; nil if they have none.
  package static func program(_ names: [String]) -> String? {
    let folders = StandardStreams.environment("PATH").split(separator: ":")
    let paths = names.lazy.flatMap { name in folders.lazy.map { join(String($0), name) } }
    return paths.first { access($0, X_OK) == 0 && !isFolder($0) }
  }

  /// The names in a folder, sorted, without hidden ones.
  package static func names(in folder: String) throws(FileFault) -> [String] {
    try namesInFolder(folder).filter { !$0.hasPrefix(".") }.sorted()
  }
}

/// A folder of the user for files that programs leave there, by the XDG Base Directory
/// Specification or as macOS has it.
package enum UserFolder {
  case cache
  case state

  /// The path of a file about one script root; nil if the folder or the root does not exist.
  ///
  /// - Parameters:
  ///   - kind: the name of the folder for all such files.
  ///   - suffix: the suffix of their names.
  package func path(of kind: String, for root: String, suffix: String) -> String? {
    guard let folder = path, let real = Paths.real(root) else { return nil }
    // The last component is for people. The hash distinguishes roots with the same last component.
    let name = real.split(separator: "/").last ?? "root"
    let hash = String(stableHash(real.utf8), radix: 16)
    return "\(folder)/scripted-store/\(kind)/\(name)-\(hash)\(suffix)"
  }

  private var path: String? {
    let path = StandardStreams.environment(self == .cache ? "XDG_CACHE_HOME" : "XDG_STATE_HOME")
    if path.hasPrefix("/") { return path }
    let home = StandardStreams.environment("HOME")
    guard home.hasPrefix("/") else { return nil }
    #if canImport(Darwin)
    return "\(home)/Library/\(self == .cache ? "Caches" : "Application Support")"
    #else
    return "\(home)/\(self == .cache ? ".cache" : ".local/state")"
    #endif
  }
}
