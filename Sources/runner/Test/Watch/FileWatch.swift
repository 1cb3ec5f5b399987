#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Finds out which scripts change. What has changed is seen by comparing times and sizes; the system's
/// notifications, where there are any, only say when to look, so that none that is lost does harm.
struct FileWatch {
  /// What a file looked like.
  private struct Look: Hashable {
    let seconds: Int
    let nanoseconds: Int
    let size: Int
    let number: UInt64
  }

  /// Folders that are watched with all in them, and single files.
  private let places: [String]
  private var looks: [String: Look] = [:]
  private var notifications = Notifications()

  /// How often to look where nothing notifies.
  private static let interval = 0.5
  /// How long nothing must have changed any more: editors write a file in several steps, and tools several
  /// files.
  private static let quiet = 0.05

  init(_ places: [String]) {
    self.places = places
    looks = look()
  }

  /// To wait on.
  var descriptor: Int32 { notifications.descriptor }
  /// How long to wait on it before looking all the same.
  var interval: Double? { notifications.isComplete ? nil : Self.interval }

  /// The scripts that were changed, made or removed since it was asked last, without links.
  mutating func changes() -> Set<String> {
    notifications.take()
    let before = looks
    looks = look()
    var last = before
    while looks != last && !Interruption.isRequested {
      Interruption.wait(atMost: Self.quiet)
      last = looks
      looks = look()
    }
    return Set(looks.filter { before[$0.key] != $0.value }.keys)
      .union(before.keys.filter { looks[$0] == nil })
  }

  private mutating func look() -> [String: Look] {
    var looks: [String: Look] = [:]
    var seen: Set<String> = []
    var open = places
    // A folder that takes the place of another one is seen in the one around it.
    for place in places { notifications.watch(around: Paths.absolute(place)) }
    while let path = open.popLast() {
      var status = stat()
      guard let real = Paths.real(path), stat(real, &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        guard seen.insert(real).inserted else { continue }
        notifications.watch(real)
        // Tests write snapshots themselves.
        let names = ((try? Paths.names(in: real)) ?? []).filter { $0 != "__snapshots__" }
        open += names.map { Paths.join(real, $0) }
      } else if path.hasSuffix(".lua") || places.contains(path) {
        #if canImport(Darwin)
          let time = status.st_mtimespec
        #else
          let time = status.st_mtim
        #endif
        looks[real] = Look(
          seconds: time.tv_sec, nanoseconds: time.tv_nsec, size: Int(status.st_size),
          number: UInt64(status.st_ino))
        // What a link leads to is written in another folder.
        var link = stat()
        let isLink = lstat(path, &link) == 0 && link.st_mode & S_IFMT == S_IFLNK
        if isLink || places.contains(path) {
          notifications.watch(String(real[..<(real.lastIndex(of: "/") ?? real.endIndex)]))
        }
      }
    }
    return looks
  }
}

#if os(Linux)
  /// The kernel's word that something in a folder has changed.
  private struct Notifications {
    let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    /// Whether all folders are watched: there is a limit to their number.
    private(set) var isComplete: Bool

    init() { isComplete = descriptor >= 0 }

    mutating func watch(_ folder: String) {
      let events = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB
      if inotify_add_watch(descriptor, folder.isEmpty ? "/" : folder, UInt32(events)) < 0 {
        isComplete = false
      }
    }

    /// Hears of what comes and goes in the folders around one.
    mutating func watch(around folder: String) {
      let events = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO
      var path = ""
      for name in folder.split(separator: "/") {
        // One of them may be watched for more.
        _ = inotify_add_watch(
          descriptor, path.isEmpty ? "/" : path,
          UInt32(events) | UInt32(IN_MASK_ADD) | UInt32(IN_ONLYDIR))
        path += "/\(name)"
      }
    }

    /// Takes all that there are.
    func take() {
      var bytes = [UInt8](repeating: 0, count: 1 << 16)
      while descriptor >= 0 && read(descriptor, &bytes, bytes.count) > 0 {}
    }
  }
#else
  /// Nothing notifies here: folders are looked at from time to time.
  private struct Notifications {
    let descriptor: Int32 = -1
    let isComplete = false

    func watch(_ folder: String) {}

    func watch(around folder: String) {}

    func take() {}
  }
#endif
