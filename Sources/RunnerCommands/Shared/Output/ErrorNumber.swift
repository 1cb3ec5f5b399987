import Platform

/// A value of `errno`, which describes itself with the system's message.
struct ErrorNumber: Error, CustomStringConvertible {
  let rawValue: Int32

  /// The error of the last system call of this thread.
  static var last: ErrorNumber { ErrorNumber(rawValue: errno) }

  var description: String { errorText(rawValue) }
}

/// The system's message for a value of `errno`.
func errorText(_ number: Int32) -> String { String(cString: strerror(number)) }
