#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Files that are read and written as a whole.
enum WholeFile {
  static func read(_ path: String) throws(ErrorNumber) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw ErrorNumber(rawValue: errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = systemRead(descriptor, &chunk, chunk.count)
      if count == 0 { return bytes }
      if count > 0 {
        bytes += chunk[..<count]
      } else if errno != EINTR {
        throw ErrorNumber(rawValue: errno)
      }
    }
  }

  /// A file that must not be there.
  static func write(_ bytes: [UInt8], toNew path: String) throws(ErrorNumber) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw ErrorNumber(rawValue: errno) }
    var stream = OutputStream(descriptor)
    stream.write(bytes)
    stream.close()
    if let number = stream.failure { throw ErrorNumber(rawValue: number) }
  }

  /// Whoever reads it meanwhile, or after a crash, finds all of the new or all of the old.
  static func write(_ bytes: [UInt8], to path: String) throws(ErrorNumber) {
    let draft = "\(path).\(getpid())"
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw ErrorNumber(rawValue: errno) }
    var stream = OutputStream(descriptor)
    stream.write(bytes)
    stream.close()
    guard stream.failure == nil, rename(draft, path) == 0 else {
      let number = stream.failure ?? errno
      unlink(draft)
      throw ErrorNumber(rawValue: number)
    }
  }

  /// A new file; fails where there is one.
  static func create(_ bytes: [UInt8], at path: String) throws(ErrorNumber) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw ErrorNumber(rawValue: errno) }
    var stream = OutputStream(descriptor)
    stream.write(bytes)
    stream.close()
    guard let number = stream.failure else { return }
    unlink(path)
    throw ErrorNumber(rawValue: number)
  }

  /// Nothing happens if it is not there.
  static func remove(_ path: String) { unlink(path) }

  /// With those around it, where they are not there yet.
  static func makeFolder(_ path: String) throws(ErrorNumber) {
    if mkdir(path, 0o777) == 0 { return }
    let number = errno
    switch number {
    case EEXIST where Paths.isFolder(path): return
    case ENOENT:
      guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { break }
      try makeFolder(String(path[..<slash]))
      if mkdir(path, 0o777) == 0 || errno == EEXIST { return }
    default: break
    }
    throw ErrorNumber(rawValue: number)
  }
}

private let systemRead = read
