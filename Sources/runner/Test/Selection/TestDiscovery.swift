import ArgumentParser

/// Finds files by their names, those of tests if nothing else is asked for: under folders, and those that are named
/// themselves, whatever they are called.
struct TestDiscovery {
  /// In the order of the paths, inside of a folder in that of names; each file once.
  private(set) var files: [TestFile] = []
  /// Those that were looked through.
  private(set) var folders: [String] = []
  private let realRoot: String
  private let matches: (String) -> Bool
  private var seen: Set<String> = []

  /// Throws if the root or one of the paths is not there.
  init(
    _ paths: [String], root: String,
    matching matches: @escaping (_ name: String) -> Bool = TestDiscovery.isTest
  ) throws(ExitCode) {
    self.matches = matches
    guard let realRoot = Paths.real(root), Paths.isFolder(realRoot) else {
      throw fail(.noInput, "there is no script root \(root); --root names one")
    }
    self.realRoot = realRoot == "/" ? "/" : realRoot + "/"
    for path in paths.isEmpty ? [root] : paths {
      // Reports name files as seen from the root.
      guard let path = [path, Paths.join(root, path)].first(where: { Paths.real($0) != nil }) else {
        throw fail(.noInput, "there is no \(path)")
      }
      if Paths.isFolder(path) { addFolder(path) } else { addFile(path) }
    }
  }

  static func isTest(_ name: String) -> Bool {
    name.hasSuffix("_test.lua") || name.hasSuffix("_spec.lua")
  }

  /// A folder that cannot be read is told of and passed over.
  private mutating func addFolder(_ path: String) {
    // A link to a folder around it, or to one that another path led to, is not followed again.
    guard let real = Paths.real(path), seen.insert(real).inserted else { return }
    folders.append(real)
    let names: [String]
    do {
      names = try Paths.names(in: path)
    } catch {
      StandardStreams.error("warning: \(path): \(errorText(error.rawValue))")
      return
    }
    for name in names {
      let entry = Paths.join(path, name)
      if Paths.isFolder(entry) {
        addFolder(entry)
      } else if matches(name) {
        addFile(entry)
      }
    }
  }

  private mutating func addFile(_ path: String) {
    guard let real = Paths.real(path), seen.insert(real).inserted else { return }
    let name =
      real.hasPrefix(realRoot) ? String(real.dropFirst(realRoot.count)) : path
    files.append(TestFile(path: path, name: name))
  }
}
