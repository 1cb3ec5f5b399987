import Synchronization

/// Decodes one version of a value after the other, and reuses what it has made of the parts that
/// have not changed. Parts are recognized by the nodes of the immutable tree, so that no part is
/// compared.
///
/// ```swift
/// let decoder = ReusingDecoder<[Todo]>()
/// let before = try decoder.decode(store.state["todos"])
/// try store.send("todos[3].toggle")
/// let after = try decoder.decode(store.state["todos"])   // decodes one Todo
/// ```
///
/// An array takes O(n) for its new storage, but only changed elements are decoded. ``DecodedList``
/// takes O(changes). An `init(from:)` of a type must make equal instances from equal values, because
/// it is not called for a value that has not changed. A struct or an array that has not changed is
/// reused with the instances of classes in it; if it has changed, these are decoded again.
///
/// It keeps the last version and what it has made of it. Thread-safe; when threads decode at the
/// same time, one of them reuses.
public final class ReusingDecoder<T: Decodable & Sendable>: Sendable {
  private let last = Mutex<DecodedNode?>(nil)

  public init() {}

  /// Decodes `value`. If that throws, what was made before is reused the next time.
  ///
  /// - Parameter path: where the value is, for errors.
  public func decode(
    _ value: Value, at path: @autoclosure () -> ValuePath = .root
  ) throws(ValueTypeError) -> T {
    guard value.isFilledContainer, T.self != Value.self else {
      return try ValueTypeError.describing(value, path()) { path throws in
        try InnerDecoder(value: value, path: path, userInfo: [:]).decode(T.self)
      }
    }
    let old = last.withLock { $0.take() }
    if let old, let result = old.result(of: value, as: T.self) {
      last.withLock { $0 = old }
      return result
    }
    let node = DecodedNode(value, T.self, after: old)
    do throws(ValueTypeError) {
      let result = try ValueTypeError.describing(value, path()) { path throws in
        try InnerDecoder(value: value, path: path, userInfo: [:], record: node).decode(T.self)
      }
      node.finish(result)
      last.withLock { $0 = node }
      return result
    } catch {
      last.withLock { $0 = old }
      throw error
    }
  }
}

extension ValueTypeError {
  /// Runs `body`, which decodes `value`, and describes what it throws.
  static func describing<T>(
    _ value: Value, _ path: ValuePath, _ body: (LinkedCodingPath?) throws -> T
  ) throws(ValueTypeError) -> T {
    do {
      return try body(path.codingPath)
    } catch {
      throw ValueTypeError(error, decoding: value, at: path)
    }
  }
}
