import Platform

/// A folder of the user for files that programs leave there, by the XDG Base Directory
/// Specification or as macOS has it.
enum UserFolder {
  case cache
  case state

  /// The path of a file about one script root; nil if the folder or the root does not exist.
  ///
  /// - Parameters:
  ///   - kind: the name of the folder for all such files.
  ///   - suffix: the suffix of their names.
  func path(of kind: String, for root: String, suffix: String) -> String? {
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
