// `FolderWatch` reports that scripts in some folders have changed. The class exists twice with one
// interface: with inotify for Linux, and with kqueue for Apple's systems.

import LuaBridge
import Platform
import Synchronization

extension FolderWatch {
  /// The paths and the types, such as `S_IFDIR`, of what is directly in a folder; nil if it cannot
  /// be read. Symbolic links are not followed.
  static func contents(of folder: String) -> [(path: String, type: mode_t)]? {
    (try? namesInFolder(folder))?.compactMap { name in
      let path = "\(folder)/\(name)"
      var status = stat()
      return lstat(path, &status) == 0 ? (path, status.st_mode & S_IFMT) : nil
    }
  }
}

#if os(Linux)
// Watches folders of scripts with inotify, without polling files.
//
//    idle ── event about a script ──▶ pending ── `unfinished` is empty, or ──▶ `wait()` is true
//                                      │   ▲     no event for `patience` ms
//                                      └───┘
//                                   another event
//
// 1. A script is in `unfinished` from its creation or first write until it is closed, moved or
//    removed. `wait()` does not return while it is there, but gives up after `patience` ms without
//    an event: some programs never close the file.
// 2. inotify watches single folders. Folders below a watched one are added when they are created.
// 3. The folders on the path to the root are watched too, because a rename there can put another
//    folder at the root's path. Only the next name on that path matters in them.
// 4. All watches use `IN_MASK_ADD`, because one folder may be watched both as a script folder and
//    as an ancestor of the root. The kernel gives both the same number.

/// Waits for the system's events about scripts in some folders and all folders below: scripts
/// that are written, created or removed, and a watched folder that is replaced.
final class FolderWatch: Sendable {
  private let events: Int32
  /// A pipe that becomes readable when the watch is stopped.
  private let end: (reading: Int32, writing: Int32)
  private let root: String
  private let state = Mutex(State())
  /// The longest wait for the end of a write, in milliseconds (invariant 1).
  private static let patience: Int32 = 100

  private struct State: Sendable {
    /// The watched script folders by inotify watch number.
    var folders: [Int32: String] = [:]
    /// The watched ancestors of the root by inotify watch number, with the name in each that
    /// leads to the root (invariant 3).
    var ancestors: [Int32: String] = [:]
    /// The paths of scripts that do not end in `.lua`: the targets of symbolic links.
    var linkTargets: Set<String> = []
    /// The paths of scripts that were created or written and are not closed yet (invariant 1).
    var unfinished: Set<String> = []
    /// Whether `hasNews(patiently:)` took an event about a script. The next `wait()` then returns
    /// for it.
    var hasNews = false
  }

  /// - Parameter root: an absolute path without symbolic links.
  /// - Throws: if the system cannot watch files, or not the root.
  init(_ root: String) throws(ScriptError) {
    self.root = root
    events = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    var ends: [Int32] = [-1, -1]
    let hasEnds = pipe(&ends) == 0
    end = (ends[0], ends[1])
    guard events >= 0, hasEnds else {
      throw ScriptError("the system cannot watch files: \(FileFault.last)")
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    guard add(root) else {
      throw ScriptError("\(root) cannot be watched: \(FileFault.last)")
    }
    watchAncestors()
  }

  deinit {
    close(events)
    close(end.reading)
    close(end.writing)
  }

  /// Watches a folder and all folders below.
  ///
  /// - Returns: whether `folder` itself can be watched.
  @discardableResult
  func add(_ folder: String) -> Bool {
    let wanted =
      IN_MODIFY | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO
      | IN_DELETE_SELF
    // Invariant 4: the flags are added to those of an ancestor watch.
    let number = inotify_add_watch(
      events, folder,
      UInt32(wanted) | UInt32(IN_ONLYDIR) | UInt32(IN_EXCL_UNLINK) | UInt32(IN_MASK_ADD))
    guard number >= 0 else { return false }
    state.withLock { $0.folders[number] = folder }
    for file in FolderWatch.contents(of: folder) ?? [] where file.type == S_IFDIR { add(file.path) }
    return true
  }

  /// Adds a script whose path does not end in `.lua`.
  func add(script path: String) { state.withLock { _ = $0.linkTargets.insert(path) } }

  /// Watches the ancestors of the root (invariant 3). Ancestors that cannot be watched are
  /// skipped.
  private func watchAncestors() {
    let wanted =
      UInt32(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO) | UInt32(IN_ONLYDIR)
      | UInt32(IN_MASK_ADD)
    var path = ""
    for name in root.split(separator: "/") {
      let number = inotify_add_watch(events, path.isEmpty ? "/" : path, wanted)
      if number >= 0 { state.withLock { $0.ancestors[number] = String(name) } }
      path += "/\(name)"
    }
  }

  /// Another folder is now at the root's path, or none. Stops the watches below the old root and
  /// watches the new one.
  private func replaceRoot() {
    let old = state.withLock { state in
      let old = state.folders.filter { $0.value == root || $0.value.hasPrefix(root + "/") }
      for number in old.keys { state.folders[number] = nil }
      state.ancestors = [:]
      return old.keys
    }
    for number in old { inotify_rm_watch(events, number) }
    add(root)
    watchAncestors()
  }

  /// Waits for events about scripts and takes all pending ones. While a script is being written,
  /// it waits for the end of the write (invariant 1).
  ///
  /// - Returns: false once the watch is stopped.
  func wait() -> Bool {
    var matters = state.withLock { state in
      defer { state.hasNews = false }
      return state.hasNews
    }
    while true {
      if matters && state.withLock({ $0.unfinished.isEmpty }) { return true }
      var sources = [
        pollfd(fd: events, events: Int16(POLLIN), revents: 0),
        pollfd(fd: end.reading, events: Int16(POLLIN), revents: 0),
      ]
      let count = poll(&sources, 2, matters ? FolderWatch.patience : -1)
      if sources[1].revents != 0 { return false }
      if count > 0 && takeAll() { matters = true }
      if count == 0 { state.withLock { $0.unfinished = [] } }
      if count < 0 && errno != EINTR { return false }
    }
  }

  /// Whether an event about a script has come since the last `wait()`. The next `wait()` returns
  /// for it.
  ///
  /// - Parameter patiently: whether to wait up to `patience` ms for such an event.
  func hasNews(patiently: Bool) -> Bool {
    let end = ContinuousClock.now + .milliseconds(FolderWatch.patience)
    while true {
      // Most events in the ancestors of the root do not matter, so poll again for the remaining
      // time.
      let left = patiently ? (end - .now) / .milliseconds(1) : 0
      var source = pollfd(fd: events, events: Int16(POLLIN), revents: 0)
      guard poll(&source, 1, Int32(max(0, left.rounded(.up)))) > 0 else { return false }
      if takeAll() {
        state.withLock { $0.hasNews = true }
        return true
      }
      if left <= 0 { return false }
    }
  }

  /// Takes all pending events.
  ///
  /// - Returns: whether any of them is about a script.
  private func takeAll() -> Bool {
    var matters = false
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(events, &bytes, bytes.count)
      guard count > 0 else { return matters }
      bytes.withUnsafeBytes { buffer in
        var at = 0
        while at < count {
          let event = buffer.loadUnaligned(fromByteOffset: at, as: inotify_event.self)
          let begin = at + MemoryLayout<inotify_event>.size
          let name = buffer[begin..<begin + Int(event.len)].prefix { $0 != 0 }
          if take(event, String(decoding: name, as: UTF8.self)) { matters = true }
          at = begin + Int(event.len)
        }
      }
    }
  }

  private func take(_ event: inotify_event, _ name: String) -> Bool {
    let mask = event.mask
    func has(_ flag: some BinaryInteger) -> Bool { mask & UInt32(truncatingIfNeeded: flag) != 0 }
    if has(IN_Q_OVERFLOW) {
      for folder in state.withLock({ Array($0.folders.values) }) { add(folder) }
      replaceRoot()
      return true
    }
    if has(IN_IGNORED) {
      state.withLock { $0.folders[event.wd] = nil }
      return false
    }
    if !name.isEmpty, state.withLock({ $0.ancestors[event.wd] }) == name {
      replaceRoot()
      return true
    }
    guard let folder = state.withLock({ $0.folders[event.wd] }) else { return false }
    let path = "\(folder)/\(name)"
    if has(IN_ISDIR) && (has(IN_CREATE) || has(IN_MOVED_TO)) {
      add(path)
      return true
    }
    if has(IN_CREATE) || has(IN_MODIFY) {
      var status = stat()
      let isThere = lstat(path, &status) == 0
      // A symbolic link is complete when it is created. A file is written after its creation and
      // then closed.
      if isThere && status.st_mode & S_IFMT == S_IFLNK { return true }
      guard isScript(path) else { return false }
      // A new pipe or socket is not open, so no close event follows.
      if isThere && status.st_mode & S_IFMT != S_IFREG { return true }
      state.withLock { _ = $0.unfinished.insert(path) }
      return true
    }
    state.withLock { _ = $0.unfinished.remove(path) }
    return !has(IN_CLOSE_WRITE) || isScript(path)
  }

  private func isScript(_ path: String) -> Bool {
    path.hasSuffix(".lua") || state.withLock { $0.linkTargets.contains(path) }
  }

  /// May be called from any thread.
  func stop() {
    var byte: UInt8 = 0
    _ = write(end.writing, &byte, 1)
  }
}
#else
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
      throw ScriptError("the system cannot watch files: \(FileFault.last)")
    }
    change(FolderWatch.stopped, EVFILT_USER, EV_ADD | EV_CLEAR, 0)
    guard add(root) else {
      throw ScriptError("\(root) cannot be watched: \(FileFault.last)")
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
