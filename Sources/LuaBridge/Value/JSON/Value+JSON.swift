extension Value {
  /// The value of a JSON text, read strictly by RFC 8259.
  ///
  /// - Numbers without fraction and exponent are integers when they fit `Int64`, all others the
  ///   nearest float; one beyond the range of a double (`1e999`) is refused.
  /// - Objects keep the order of the text; a key that an object has twice is refused.
  /// - `[]` and `{}` are the empty table, and encode again as what they were.
  /// - Refused as well: text that is not UTF-8 or starts with a byte order mark, half of a
  ///   surrogate pair, more than 128 levels of arrays and objects, anything but white space after
  ///   the value.
  ///
  /// O(length of the text).
  public init(json text: some StringProtocol) throws(JSONError) {
    var text = String(text)
    let result = text.withUTF8 { bytes in Value.reading(bytes) }
    self = try result.get()
  }

  /// The value of a JSON text in UTF-8; see ``init(json:)-(StringProtocol)``. Fastest when the
  /// bytes are contiguous, as those of an array or of `Data` are.
  public init(json bytes: some Sequence<UInt8>) throws(JSONError) {
    if let result = bytes.withContiguousStorageIfAvailable({ Value.reading($0) }) {
      self = try result.get()
    } else {
      self = try Array(bytes).withUnsafeBufferPointer { Value.reading($0) }.get()
    }
  }

  /// The value of a JSON text in UTF-8 in memory that the caller keeps; see
  /// ``init(json:)-(StringProtocol)``.
  public init(json bytes: UnsafeRawBufferPointer) throws(JSONError) {
    self = try bytes.withMemoryRebound(to: UInt8.self) { Value.reading($0) }.get()
  }

  /// The same for a text that ``json(_:)`` made of values that were put into others.
  package init(wrappedJSON bytes: some Collection<UInt8>) throws(JSONError) {
    self = try Array(bytes).withUnsafeBufferPointer {
      Value.reading($0, depthLimit: wrappedDepth)
    }.get()
  }

  private static func reading(
    _ text: UnsafeBufferPointer<UInt8>, depthLimit: Int = maximumDepth
  ) -> Result<Value, JSONError> {
    do throws(JSONError) {
      return .success(Value(owning: try Slot.reading(json: text, depthLimit: depthLimit)))
    } catch {
      return .failure(error)
    }
  }

  /// The value as JSON text. Floats keep a point or an exponent (`1.0`), so that they come back as
  /// floats. NaN and the infinities, which a state never holds, become `null`. O(size of the
  /// value).
  public func json(_ options: JSONOptions = []) -> String {
    withJSON(options) { bytes in String(decoding: bytes, as: UTF8.self) }
  }

  /// Appends the value as JSON text in UTF-8 to a buffer; the same text as ``json(_:)``.
  public func appendJSON(to buffer: inout [UInt8], _ options: JSONOptions = []) {
    withJSON(options) { bytes in buffer.append(contentsOf: bytes) }
  }

  /// Calls `body` with the value as JSON text in UTF-8, in memory that is gone when it returns: for
  /// output that goes straight to a file.
  public func withJSON<Result>(
    _ options: JSONOptions = [], _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result {
    let slot = ownedSlot()
    defer { slot.release() }
    return try slot.withJSON(options, body)
  }
}

extension Slot {
  /// The value (+1) of a JSON text in UTF-8; see ``Value/init(json:)-(StringProtocol)``.
  package static func reading(
    json text: UnsafeBufferPointer<UInt8>, depthLimit: Int = maximumDepth
  ) throws(JSONError) -> Slot {
    do throws(JSONFault) {
      return try JSONReader.read(text, depthLimit: depthLimit)
    } catch {
      throw JSONError(error, in: text)
    }
  }

  /// Calls `body` with the value (+0) as JSON text in UTF-8, in memory that is gone when it
  /// returns.
  package func withJSON<Result>(
    _ options: JSONOptions = [], _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result {
    var writer = JSONWriter(options)
    writer.write(self)
    return try body(writer.bytes)
  }
}
