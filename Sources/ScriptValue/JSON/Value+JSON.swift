/// Options for ``Value/json(_:)``.
public struct JSONOptions: OptionSet, Sendable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Writes each element and member on its own line, with two spaces of indentation for each level.
  /// Without this option the text is one line without spaces.
  public static let pretty = JSONOptions(rawValue: 1)
}

extension Value {
  /// Reads JSON text, strictly by RFC 8259.
  ///
  /// - A number without fraction and exponent is an integer if it fits `Int64`. Any other number is
  ///   the nearest float. A number beyond the range of a double (`1e999`) is an error.
  /// - An object has the order of the text. A duplicate key in an object is an error.
  /// - `[]` and `{}` are both the empty table. Each encodes again as it was written.
  /// - Other errors: text that is not UTF-8 or starts with a byte order mark, half of a surrogate
  ///   pair, more than 128 levels of arrays and objects, and anything but white space after the
  ///   value.
  ///
  /// O(length of the text).
  /// - Throws: ``JSONError``
  public init(json text: some StringProtocol) throws(JSONError) {
    var text = String(text)
    let result = text.withUTF8 { bytes in Value.reading(bytes) }
    self = try result.get()
  }

  /// Reads JSON text in UTF-8; see ``init(json:)-(StringProtocol)``. It is fastest with contiguous
  /// bytes, as those of an array or of `Data`.
  public init(json bytes: some Sequence<UInt8>) throws(JSONError) {
    if let result = bytes.withContiguousStorageIfAvailable({ Value.reading($0) }) {
      self = try result.get()
    } else {
      self = try Array(bytes).withUnsafeBufferPointer { Value.reading($0) }.get()
    }
  }

  /// Reads JSON text in UTF-8 from memory that the caller keeps valid during the call; see
  /// ``init(json:)-(StringProtocol)``.
  public init(json bytes: UnsafeRawBufferPointer) throws(JSONError) {
    self = try bytes.withMemoryRebound(to: UInt8.self) { Value.reading($0) }.get()
  }

  /// Reads a text that ``json(_:)`` made of a value that the library had built around other values.
  /// It may nest deeper: 144 levels.
  package init(wrappedJSON bytes: some Collection<UInt8>) throws(JSONError) {
    self = try Array(bytes).withUnsafeBufferPointer {
      Value.reading($0, depthLimit: maximumWrappedDepth)
    }.get()
  }

  private static func reading(
    _ text: UnsafeBufferPointer<UInt8>, depthLimit: Int = maximumDepth
  ) -> Result<Value, JSONError> {
    var reader = JSONReader(text, depthLimit: depthLimit)
    do throws(JSONError) {
      return .success(Value(owning: try reader.readDocument()))
    } catch {
      return .failure(error)
    }
  }

  /// Returns the value as JSON text. Floats have a point or an exponent (`1.0`), so that they read
  /// back as floats. NaN and the infinities, which a state never contains, become `null`. O(size of
  /// the value).
  public func json(_ options: JSONOptions = []) -> String {
    withJSON(options) { bytes in String(decoding: bytes, as: UTF8.self) }
  }

  /// Appends the value to a buffer as JSON text in UTF-8, the same text as ``json(_:)`` returns.
  public func appendJSON(to buffer: inout [UInt8], _ options: JSONOptions = []) {
    withJSON(options) { bytes in buffer.append(contentsOf: bytes) }
  }

  /// Calls `body` with the value as JSON text in UTF-8. The memory is only valid during the call.
  /// Use it to write to a file without a copy.
  public func withJSON<Result>(
    _ options: JSONOptions = [], _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result {
    var writer = JSONWriter(options)
    withSlot { writer.write($0) }
    return try writer.bytes.withUnsafeBufferPointer(body)
  }
}
