import Platform

/// A value of `errno`.
struct ErrorNumber: Error {
  let rawValue: Int32

  /// The error of the last system call of this thread.
  static var last: ErrorNumber { ErrorNumber(rawValue: errno) }
}

/// The system's message for a value of `errno`.
func errorText(_ number: Int32) -> String { String(cString: strerror(number)) }
