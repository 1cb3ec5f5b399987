import Platform

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
