import ArgumentParser
import ScriptChecks

/// Finds files by name: all matching files below the given folders, and the files that are given
/// themselves, whatever their names are. Without another rule it finds test files.
package struct FileSearch {
  /// The files in the order of the given paths, and by name inside of a folder. Each file occurs
  /// once.
  package private(set) var files: [FoundFile] = []
  private let realRoot: String
  private let matches: (String) -> Bool
  private var seen: Set<String> = []

  /// Throws if the root or one of the paths does not exist.
  package init(
    _ paths: [String], root: String,
    matching matches: @escaping (_ name: String) -> Bool = ScriptFile.isTest
  ) throws(ExitCode) {
    self.matches = matches
    guard let realRoot = Paths.real(root), Paths.isFolder(realRoot) else {
      throw fail(.noInput, "there is no script root \(root); --root names one")
    }
    self.realRoot = realRoot == "/" ? "/" : realRoot + "/"
    for path in paths.isEmpty ? [root] : paths {
      // A path may be relative to the root, because reports name files that way.
      guard let path = [path, Paths.join(root, path)].first(where: { Paths.real($0) != nil }) else {
        throw fail(.noInput, "there is no \(path), neither here nor under \(root)")
      }
      if Paths.isFolder(path) { addFolder(path) } else { addFile(path) }
    }
  }

  /// Searches a folder. Prints a warning and skips it if it cannot be read.
  private mutating func addFolder(_ path: String) {
    // Each folder is searched once, so a symbolic link to a parent folder does not loop.
    guard let real = Paths.real(path), seen.insert(real).inserted else { return }
    let names: [String]
    do {
      names = try Paths.names(in: path)
    } catch {
      StandardStreams.error("warning: \(path): \(error)")
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
    files.append(FoundFile(path: Paths.fromCurrentFolder(path), name: name))
  }
}

/// A test, script or recording as ``FileSearch`` found it.
package struct FoundFile: Hashable, Sendable {
  /// The path that opens the file, from the current folder if the file is in it. Reports have it.
  package let path: String
  /// The name of the host: relative to the script root if the file is in it, else a path.
  package let name: String
}
