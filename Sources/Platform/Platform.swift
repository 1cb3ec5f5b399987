// The C library, under one name on all platforms.
#if canImport(Glibc)
@_exported import Glibc
#elseif canImport(Musl)
@_exported import Musl
#else
@_exported import Darwin
#endif

/// The nanoseconds of a clock of the system. Also called in a signal handler.
public func nanoseconds(of clock: clockid_t) -> UInt64 {
  var time = timespec()
  clock_gettime(clock, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// The date in seconds since 1970, in milliseconds.
public var wallTime: Double { Double(nanoseconds(of: CLOCK_REALTIME) / 1_000_000) / 1_000 }

/// The bytes of a file that a C target of `Sources/Embedded` has; empty for nil.
public func embedded(_ file: UnsafePointer<UInt8>?) -> [UInt8] {
  file.map { Array(UnsafeBufferPointer(start: $0, count: strlen($0))) } ?? []
}
