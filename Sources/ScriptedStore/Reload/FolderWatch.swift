import LuaBridge
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

#if os(Linux)
  /// Hears from the system when scripts in some folders, and all folders in them, are written, come or go. Looks at
  /// nothing by itself.
  final class FolderWatch: Sendable {
    private let events: Int32
    /// A pipe that can be read from once it is to stop.
    private let end: (reading: Int32, writing: Int32)
    /// By the kernel's numbers.
    private let folders = Mutex<[Int32: String]>([:])

    init(_ folders: [String]) throws(ScriptError) {
      events = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
      var ends: [Int32] = [-1, -1]
      let hasEnds = pipe(&ends) == 0
      end = (ends[0], ends[1])
      guard events >= 0, hasEnds else {
        throw ScriptError("the system cannot watch files: \(String(cString: strerror(errno)))")
      }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      for folder in folders {
        guard add(folder) else {
          throw ScriptError("\(folder) cannot be watched: \(String(cString: strerror(errno)))")
        }
      }
    }

    deinit {
      close(events)
      close(end.reading)
      close(end.writing)
    }

    /// Watches a folder with all in it; whether that one can be.
    @discardableResult
    func add(_ folder: String) -> Bool {
      let wanted =
        IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF
      let number = inotify_add_watch(
        events, folder, UInt32(wanted) | UInt32(IN_ONLYDIR) | UInt32(IN_EXCL_UNLINK))
      guard number >= 0 else { return false }
      folders.withLock { $0[number] = folder }
      for name in FolderWatch.folders(in: folder) { add("\(folder)/\(name)") }
      return true
    }

    /// Those right in a folder, links not followed.
    private static func folders(in folder: String) -> [String] {
      guard let stream = opendir(folder) else { return [] }
      defer { closedir(stream) }
      var names: [String] = []
      while let entry = readdir(stream) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        var status = stat()
        guard name != ".", name != "..", lstat("\(folder)/\(name)", &status) == 0,
          status.st_mode & S_IFMT == S_IFDIR
        else { continue }
        names.append(name)
      }
      return names
    }

    /// Waits until something has happened, and takes all that has; false once it was stopped.
    func wait() -> Bool {
      while true {
        var sources = [
          pollfd(fd: events, events: Int16(POLLIN), revents: 0),
          pollfd(fd: end.reading, events: Int16(POLLIN), revents: 0),
        ]
        let count = poll(&sources, 2, -1)
        if sources[1].revents != 0 { return false }
        if count > 0 && takeAll() { return true }
        if count < 0 && errno != EINTR { return false }
      }
    }

    /// Whether any of them was about a script.
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
        for folder in folders.withLock({ Array($0.values) }) { add(folder) }
        return true
      }
      if has(IN_IGNORED) {
        folders.withLock { $0[event.wd] = nil }
        return false
      }
      if has(IN_ISDIR) && (has(IN_CREATE) || has(IN_MOVED_TO)) {
        if let folder = folders.withLock({ $0[event.wd] }) { add("\(folder)/\(name)") }
        return true
      }
      // Who makes a file writes it, and then closes it; a link is whole at once.
      if has(IN_CREATE) {
        guard let folder = folders.withLock({ $0[event.wd] }) else { return false }
        var status = stat()
        return lstat("\(folder)/\(name)", &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
      }
      return !has(IN_CLOSE_WRITE) || name.hasSuffix(".lua")
    }

    /// From any thread.
    func stop() {
      var byte: UInt8 = 0
      _ = write(end.writing, &byte, 1)
    }
  }
#else
  /// Hears from the system when scripts in some folders, and all folders in them, are written, come or go. Looks at
  /// nothing by itself.
  ///
  /// The kernel says when a file is written, and not when whoever does so has closed it: what is seen in between may be
  /// half a script.
  final class FolderWatch: Sendable {
    private let queue: Int32
    /// Open files by their paths: the folders, and the scripts in them.
    private let files = Mutex<[String: Int32]>([:])
    private static let stopped = UInt(1)

    init(_ folders: [String]) throws(ScriptError) {
      queue = kqueue()
      guard queue >= 0 else {
        throw ScriptError("the system cannot watch files: \(String(cString: strerror(errno)))")
      }
      change(FolderWatch.stopped, EVFILT_USER, EV_ADD | EV_CLEAR, 0)
      for folder in folders {
        guard add(folder) else {
          throw ScriptError("\(folder) cannot be watched: \(String(cString: strerror(errno)))")
        }
      }
    }

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

    /// Watches a folder with all in it; whether that one can be.
    @discardableResult
    func add(_ folder: String) -> Bool {
      guard open(folder) else { return false }
      guard let stream = opendir(folder) else { return false }
      defer { closedir(stream) }
      while let entry = readdir(stream) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 1024) { String(cString: $0) }
        }
        let path = "\(folder)/\(name)"
        var status = stat()
        guard name != ".", name != "..", lstat(path, &status) == 0 else { continue }
        if status.st_mode & S_IFMT == S_IFDIR {
          add(path)
        } else if name.hasSuffix(".lua") {
          open(path)
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

    /// Waits until something has happened, and takes all that has; false once it was stopped.
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
      // What came is not watched yet.
      for folder in files.withLock({ Array($0.keys) }) where !folder.hasSuffix(".lua") { add(folder) }
      return true
    }

    private func forget(_ file: Int32) {
      files.withLock { files in
        guard let path = files.first(where: { $0.value == file })?.key else { return }
        files[path] = nil
        close(file)
      }
    }

    /// From any thread.
    func stop() { change(FolderWatch.stopped, EVFILT_USER, 0, UInt32(NOTE_TRIGGER)) }
  }
#endif
