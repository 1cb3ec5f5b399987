/// Why a value does not fit the Swift type as which it is read: `todos[3].title: expected String,
/// found null`.
public struct ValueTypeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The path of the part that does not fit, from where the reading began. Indices count from 0.
  public let path: ValuePath
  /// The Swift type of a scalar, "an array" or "an object"; "a valid value" if a type's own
  /// `init(from:)` has refused what it found.
  public let expected: String
  /// What kind of value is there, or the number that does not fit; "nothing" if there is none.
  public let found: String
  /// What a type's own `init(from:)` says about it.
  public let reason: String?

  package init(path: ValuePath, expected: String, found: String, reason: String? = nil) {
    self.path = path
    self.expected = expected
    self.found = found
    self.reason = reason
  }

  public var description: String {
    let place = path.components.isEmpty ? "" : "\(path): "
    return "\(place)expected \(expected), found \(found)" + (reason.map { " (\($0))" } ?? "")
  }
}

extension ValueTypeError {
  /// Describes what decoding has thrown. A decoder of this module attaches the description to its
  /// errors; other errors come from a type's own `init(from:)`.
  ///
  /// - Parameters:
  ///   - value: the decoded value.
  ///   - path: its path.
  init(_ error: any Error, decoding value: Value, at path: ValuePath) {
    guard let error = error as? DecodingError else {
      self.init(path: path, expected: "a valid value", found: value.kind, reason: "\(error)")
      return
    }
    let context: DecodingError.Context =
      switch error {
      case .typeMismatch(_, let context), .valueNotFound(_, let context),
        .keyNotFound(_, let context), .dataCorrupted(let context):
        context
      @unknown default: DecodingError.Context(codingPath: [], debugDescription: "\(error)")
      }
    if let described = context.underlyingError as? ValueTypeError {
      self = described
      return
    }
    let whole = ValuePath(codingPath: context.codingPath)
    let inner = ValuePath(Array(whole.components.dropFirst(path.components.count)))
    self.init(
      path: whole.components.count < path.components.count ? path : whole,
      expected: "a valid value", found: value.get(inner)?.kind ?? "nothing",
      reason: context.debugDescription)
  }
}
