// Finds changed scripts by comparing scans of the files. Notifications of the system only say when
// to scan.
//
// 1. A change is a difference of time, size or inode between two scans (`scan()`). A lost
//    notification therefore loses no change.
// 2. Notifications only end a wait early. If not all folders can be watched, scans repeat every
//    `interval` seconds.
// 3. `changes()` scans until nothing has changed for `quiet` seconds, because editors and tools
//    write in several steps.
//
// The watch of reloads, `FolderWatch`, would not do: it passes over folders that the system does not let it
// watch, where these scans repeat, and it goes into hidden folders, which a project has beside its tests.

import Platform

/// Finds the scripts that change below some folders.
package struct FileScanner {
  /// Folders, which are watched with everything below them, and single files.
  private let paths: [String]
  private var stamps: [String: FileStamp] = [:]
  private var notifications = FolderNotifications()

  /// The seconds between two scans if notifications are incomplete (invariant 2).
  private static let interval = 0.5
  /// The seconds without a change after which writing counts as complete (invariant 3).
  private static let quiet = 0.05

  package init(_ paths: [String]) {
    self.paths = paths
    stamps = scan()
  }

  /// The file descriptor to wait on for notifications; -1 if there are none.
  package var descriptor: Int32 { notifications.descriptor }
  /// The longest wait in seconds before the next scan; nil if notifications are complete.
  package var interval: Double? { notifications.isComplete ? nil : Self.interval }

  /// The resolved paths of the scripts that were changed, created or removed since the last call.
  package mutating func changes() -> Set<String> {
    notifications.discard()
    let before = stamps
    stamps = scan()
    var last = before
    while stamps != last && !Interruption.isRequested {
      Interruption.wait(atMost: Self.quiet)
      last = stamps
      stamps = scan()
    }
    return Set(stamps.keys).union(before.keys).filter { stamps[$0] != before[$0] }
  }

  private mutating func scan() -> [String: FileStamp] {
    var stamps: [String: FileStamp] = [:]
    var seen: Set<String> = []
    var pending = paths
    // If another folder is put at a watched path, only the folders around it report that.
    for path in paths { notifications.watch(around: Paths.absolute(path)) }
    while let path = pending.popLast() {
      var status = stat()
      guard let real = Paths.real(path), stat(real, &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        guard seen.insert(real).inserted else { continue }
        notifications.watch(real)
        // Tests write snapshots themselves, so these are not watched.
        let names = ((try? Paths.names(in: real)) ?? []).filter { $0 != "__snapshots__" }
        pending += names.map { Paths.join(real, $0) }
      } else if path.hasSuffix(".lua") || paths.contains(path) {
        stamps[real] = FileStamp(status)
        // The target of a symbolic link is written in another folder, so that folder is watched
        // too.
        var link = stat()
        let isLink = lstat(path, &link) == 0 && link.st_mode & S_IFMT == S_IFLNK
        if isLink || paths.contains(path) { notifications.watch(Paths.folder(of: real)) }
      }
    }
    return stamps
  }
}

#if os(Linux)
/// Notifications of the kernel that something in a folder has changed.
struct FolderNotifications {
  let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
  /// Whether all folders are watched. The system limits their number.
  private(set) var isComplete: Bool

  init() { isComplete = descriptor >= 0 }

  mutating func watch(_ folder: String) {
    let events = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB
    if inotify_add_watch(descriptor, folder.isEmpty ? "/" : folder, UInt32(events)) < 0 {
      isComplete = false
    }
  }

  /// Watches the ancestors of a folder for entries that come and go.
  mutating func watch(around folder: String) {
    let events = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO
    var path = ""
    for name in folder.split(separator: "/") {
      // `IN_MASK_ADD`: a folder that is watched already keeps its other events.
      _ = inotify_add_watch(
        descriptor, path.isEmpty ? "/" : path,
        UInt32(events) | UInt32(IN_MASK_ADD) | UInt32(IN_ONLYDIR))
      path += "/\(name)"
    }
  }

  /// Discards all pending notifications.
  func discard() {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    while descriptor >= 0 && read(descriptor, &bytes, bytes.count) > 0 {}
  }
}
#else
/// This system has no notifications here, so folders are scanned periodically.
struct FolderNotifications {
  let descriptor: Int32 = -1
  let isComplete = false

  func watch(_ folder: String) {}

  func watch(around folder: String) {}

  func discard() {}
}
#endif
