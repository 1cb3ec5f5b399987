import Synchronization

/// Numbers that are each given out once in a process.
enum SerialNumber {
  private static let last = Atomic<UInt64>(0)

  static func next() -> UInt64 { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
