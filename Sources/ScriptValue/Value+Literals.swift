extension Value: ExpressibleByNilLiteral {
  public init(nilLiteral: ()) { self = .null }
}

extension Value: ExpressibleByBooleanLiteral {
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
}

extension Value: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: Int64) { self = .integer(value) }
}

extension Value: ExpressibleByFloatLiteral {
  /// A literal beyond the range of `Double` is infinite, which cannot be state. That is a
  /// precondition failure.
  public init(floatLiteral value: Double) {
    precondition(value.isFinite, "NaN and infinities cannot be state")
    self = .float(value)
  }
}

extension Value: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
  public init(stringLiteral value: String) { self = .string(value) }
}

extension Value: ExpressibleByArrayLiteral {
  public init(arrayLiteral elements: Value...) { self = .array(List(elements)) }
}

extension Value: ExpressibleByDictionaryLiteral {
  /// The object has the order of the literal. If a key occurs twice, the last value is used.
  public init(dictionaryLiteral elements: (String, Value)...) {
    self = .object(Object(elements.lazy.map { (key: $0.0, value: $0.1) }))
  }
}

/// Conversions from variables, where literals do not apply. For `Encodable` types use
/// ``Value/init(encoding:)``.
extension Value {
  public init(_ number: Int) { self = .integer(Int64(number)) }
  public init(_ flag: Bool) { self = .boolean(flag) }
  public init(_ text: String) { self = .string(text) }
}
