/// Why a file cannot be read or written.
public enum FileFault: Error, CustomStringConvertible, Sendable {
  /// A function of the system has failed with this `errno`.
  case system(Int32)
  /// A pipe, a device or a socket is where an ordinary file has to be.
  case special(kind: String)
  case tooLarge(limit: Int)
  /// A pipe that no program reads was opened to be written.
  case unreadPipe

  /// The error of the last function of the system that this thread has called.
  public static var last: FileFault { .system(errno) }

  public var description: String {
    switch self {
    case .system(let number): String(cString: strerror(number))
    case .special(let kind):
      "this is \(kind); save what it gives in an ordinary file, and name that"
    case .tooLarge(let limit):
      "it has more bytes than the \(limit) that are read here at most; is it the right file?"
    case .unreadPipe: "this is a pipe that no program reads; start its reader first"
    }
  }
}

/// Files that are read and written whole.
public enum OrdinaryFile {
  /// The content of an ordinary file. Neither waits, as for the writer of a pipe, nor reads what may
  /// have no end, as a device.
  ///
  /// - Parameter limit: the number of bytes that a file has at most. Memory is bounded by it.
  public static func contents(of path: String, atMost limit: Int) throws(FileFault) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw .last }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .last }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw .system(EISDIR)
    case S_IFIFO: throw .special(kind: "a pipe")
    case S_IFSOCK: throw .special(kind: "a socket")
    default: throw .special(kind: "a device")
    }
    guard status.st_size <= limit else { throw .tooLarge(limit: limit) }
    return try rest(of: descriptor, atMost: limit)
  }

  /// The bytes of an open file, or of a pipe, from where it is now to its end.
  public static func rest(of descriptor: Int32, atMost limit: Int) throws(FileFault) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      if count == 0 { return bytes }
      if count > 0 {
        guard bytes.count + count <= limit else { throw .tooLarge(limit: limit) }
        bytes += chunk[..<count]
      } else if errno != EINTR {
        throw .last
      }
    }
  }

  // MARK: Writing

  /// Opens a file for writing, and creates it if it does not exist. It is non-blocking: a pipe that
  /// nothing reads is refused, and a write into one that is full gives `EAGAIN`.
  ///
  /// - Parameters:
  ///   - flags: `O_TRUNC`, `O_EXCL` or `O_APPEND`.
  ///   - mode: the permissions of a new file.
  public static func openToWrite(
    _ path: String, _ flags: Int32, mode: mode_t = 0o666
  ) throws(FileFault) -> Int32 {
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | flags
    let descriptor = open(path, flags, mode)
    guard descriptor >= 0 else { throw errno == ENXIO ? .unreadPipe : .last }
    return descriptor
  }

  /// Writes a file. An ordinary one is replaced in one step: a reader, also after this process has
  /// crashed, finds the complete old or the complete new content. Where a link leads there, it stays
  /// one. What cannot be replaced is written into: a device, a pipe, a file with several names.
  public static func save(_ bytes: [UInt8], to path: String) throws(FileFault) {
    var status = stat()
    let isThere = stat(path, &status) == 0
    let isAbsent = !isThere && errno == ENOENT && lstat(path, &status) != 0
    let isReplaced = isThere && status.st_mode & S_IFMT == S_IFREG && status.st_nlink == 1
    guard isAbsent || isReplaced else {
      return try finish(openToWrite(path, O_TRUNC), with: bytes)
    }
    let target = isReplaced ? realPath(path) ?? path : path
    let draft = "\(target).\(getpid())"
    unlink(draft)
    let descriptor = try openToWrite(draft, O_EXCL)
    do throws(FileFault) {
      if isReplaced {
        _ = fchown(descriptor, status.st_uid, status.st_gid)
        _ = fchmod(descriptor, status.st_mode & 0o7777)
      }
      try finish(descriptor, with: bytes)
      guard rename(draft, target) == 0 else { throw .last }
    } catch {
      unlink(draft)
      throw error
    }
  }

  /// Writes all bytes and closes the file.
  private static func finish(_ descriptor: Int32, with bytes: [UInt8]) throws(FileFault) {
    let failure = put(bytes, into: descriptor)
    close(descriptor)
    if let failure { throw .system(failure) }
  }

  /// Writes all bytes, and waits where the file takes none now. Returns the `errno` of a failure.
  public static func put(_ bytes: [UInt8], into descriptor: Int32) -> Int32? {
    bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let part = UnsafeRawBufferPointer(rebasing: rest)
        let count = write(descriptor, part.baseAddress, part.count)
        if count >= 0 {
          rest = rest.dropFirst(count)
          continue
        }
        switch errno {
        case EINTR: break
        case EAGAIN:
          var space = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          poll(&space, 1, -1)
        case let number: return number
        }
      }
      return nil
    }
  }
}

/// The absolute path without symbolic links; nil if nothing exists there.
public func realPath(_ path: String) -> String? {
  guard let resolved = realpath(path, nil) else { return nil }
  defer { free(resolved) }
  return String(cString: resolved)
}

/// The name of an entry of a folder, which is valid as long as the entry. `d_name` is declared as an array that may be larger
/// than the entry, so it is not copied.
public func nameBytes(of entry: UnsafeMutablePointer<dirent>) -> UnsafePointer<CChar> {
  let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
  return UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
}

/// The names of what is in a folder, without `.` and `..`, in no order.
public func namesInFolder(_ path: String) throws(FileFault) -> [String] {
  guard let stream = opendir(path) else { throw .last }
  defer { closedir(stream) }
  var names: [String] = []
  while let entry = readdir(stream) {
    let name = String(cString: nameBytes(of: entry))
    if name != ".", name != ".." { names.append(name) }
  }
  return names
}

/// Differs if a file was written or replaced in between: its number, its size and the time of its
/// last write.
public struct FileStamp: Sendable, Hashable {
  /// The number of the file in its file system.
  public let number: UInt64
  private let size: Int
  private let seconds: Int
  private let nanoseconds: Int

  public init(_ status: stat) {
    number = UInt64(status.st_ino)
    size = Int(status.st_size)
    #if canImport(Darwin)
    let time = status.st_mtimespec
    #else
    let time = status.st_mtim
    #endif
    (seconds, nanoseconds) = (Int(time.tv_sec), Int(time.tv_nsec))
  }
}
