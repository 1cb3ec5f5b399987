#if !os(Linux)
import LuaBridge
import Platform
import Synchronization

/// Waits for the system's events about scripts in some folders and all folders below: scripts
/// that are written, created or removed.
///
/// kqueue reports a write but not the close after it. So a reload may see a script that is half
/// written.
final class FolderWatch: Sendable {
  private let queue: Int32
  /// The descriptors of the watched folders and scripts by path.
  private let files = Mutex<[String: Int32]>([:])
  private let root: String
  private static let stopped = UInt(1)

  /// - Parameter root: an absolute path without symbolic links.
  /// - Throws: if the system cannot watch files, or not the root.
  init(_ root: String) throws(ScriptError) {
    self.root = root
    queue = kqueue()
    guard queue >= 0 else {
      throw ScriptError("the system cannot watch files: \(String(cString: strerror(errno)))")
    }
    change(FolderWatch.stopped, EVFILT_USER, EV_ADD | EV_CLEAR, 0)
    guard add(root) else {
      throw ScriptError("\(root) cannot be watched: \(String(cString: strerror(errno)))")
    }
    watchAncestors()
  }

  /// The ancestors of the root, in which a rename may put another folder at the root's path.
  private var ancestors: [String] {
    let names = root.split(separator: "/")
    return names.indices.map { "/" + names[..<$0].joined(separator: "/") }
  }

  private func watchAncestors() {
    for folder in ancestors { open(folder) }
  }

  /// Adds a script whose path does not end in `.lua`.
  func add(script path: String) { open(path) }

  deinit {
    close(queue)
    for file in files.withLock({ $0.values }) { close(file) }
  }

  private func change(_ identity: UInt, _ filter: Int, _ flags: Int32, _ wanted: UInt32) {
    var change = kevent(
      ident: identity, filter: Int16(filter), flags: UInt16(flags), fflags: wanted, data: 0,
      udata: nil)
    kevent(queue, &change, 1, nil, 0, nil)
  }

  /// Watches a folder and all folders and scripts below.
  ///
  /// - Returns: whether `folder` itself can be watched.
  @discardableResult
  func add(_ folder: String) -> Bool {
    guard open(folder) else { return false }
    guard let contents = FolderWatch.contents(of: folder) else { return false }
    for file in contents {
      if file.type == S_IFDIR {
        add(file.path)
      } else if file.path.hasSuffix(".lua") {
        open(file.path)
      }
    }
    return true
  }

  @discardableResult
  private func open(_ path: String) -> Bool {
    files.withLock { files in
      if files[path] != nil { return true }
      let file = Darwin.open(path, O_EVTONLY | O_CLOEXEC)
      guard file >= 0 else { return false }
      files[path] = file
      let wanted = NOTE_WRITE | NOTE_EXTEND | NOTE_DELETE | NOTE_RENAME
      change(UInt(file), Int(EVFILT_VNODE), EV_ADD | EV_CLEAR, UInt32(wanted))
      return true
    }
  }

  /// Waits for an event and takes all pending ones.
  ///
  /// - Returns: false once the watch is stopped.
  func wait() -> Bool {
    var events = [kevent](repeating: kevent(), count: 64)
    var none = timespec()
    var count = kevent(queue, nil, 0, &events, 64, nil)
    while count > 0 {
      for event in events[..<Int(count)] {
        if event.filter == Int16(EVFILT_USER) { return false }
        if event.fflags & UInt32(NOTE_DELETE | NOTE_RENAME) != 0 { forget(Int32(event.ident)) }
      }
      count = kevent(queue, nil, 0, &events, 64, &none)
    }
    // New files are not watched yet, and another folder may be at the root's path now.
    let outer = Set(ancestors)
    for folder in files.withLock({ Array($0.keys) })
    where !folder.hasSuffix(".lua") && !outer.contains(folder) {
      add(folder)
    }
    add(root)
    watchAncestors()
    return true
  }

  /// Always false: pending events are left to the next `wait()`.
  ///
  /// - Parameter patiently: whether to sleep for 100 ms, so that a program can finish a write.
  func hasNews(patiently: Bool) -> Bool {
    if patiently { usleep(100_000) }
    return false
  }

  private func forget(_ file: Int32) {
    files.withLock { files in
      guard let path = files.first(where: { $0.value == file })?.key else { return }
      files[path] = nil
      close(file)
    }
  }

  /// May be called from any thread.
  func stop() { change(FolderWatch.stopped, EVFILT_USER, 0, UInt32(NOTE_TRIGGER)) }
}
#endif
