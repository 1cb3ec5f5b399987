extension EncodingError {
  static func tooDeep(_ value: Any, _ path: [any CodingKey]) -> EncodingError {
    refusal(of: value, path, "more than \(maximumDepth) levels of containers")
  }

  static func notFinite(_ number: Any, _ path: [any CodingKey]) -> EncodingError {
    refusal(of: number, path, "\(number) is not state: only finite numbers are")
  }

  /// The error for a value that cannot be state.
  static func refusal(
    of value: Any, _ path: [any CodingKey], _ reason: String
  ) -> EncodingError {
    .invalidValue(value, Context(codingPath: path, debugDescription: reason))
  }
}
