// `FolderWatch` reports that scripts in some folders have changed. The class exists twice with one
// interface: `FolderWatch+inotify.swift` is for Linux, `FolderWatch+kqueue.swift` for Apple's systems.

import Platform

extension FolderWatch {
  /// The paths and the types, such as `S_IFDIR`, of what is directly in a folder; nil if it cannot
  /// be read. Symbolic links are not followed.
  static func contents(of folder: String) -> [(path: String, type: mode_t)]? {
    guard let stream = opendir(folder) else { return nil }
    defer { closedir(stream) }
    var contents: [(path: String, type: mode_t)] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
      }
      let path = "\(folder)/\(name)"
      var status = stat()
      if name != ".", name != "..", lstat(path, &status) == 0 {
        contents.append((path, status.st_mode & S_IFMT))
      }
    }
    return contents
  }
}
