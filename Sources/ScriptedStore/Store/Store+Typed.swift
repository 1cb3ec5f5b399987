import LuaBridge
import Synchronization

/// The state as Swift types.
///
/// A child that is typed is a child: `store.scope(element: 3, of: "todos").state(as: Todo.self)`.
extension Store {
  /// The value at `path` as a Swift type, after the last drain.
  ///
  /// ```swift
  /// let todos = try store.state(at: "todos", as: [Todo].self)
  /// let count = try store.state(at: "count", as: Int.self)
  /// ```
  ///
  /// What was made of the parts that have not changed since they were read last is reused, as
  /// `ReusingDecoder` describes it; the store keeps that for 64 pairs of a path and a type, until
  /// others are read. Read a list of which single elements change as a `DecodedList`.
  ///
  /// - Throws: where the value does not fit: `todos[3].title: expected String, found null`. A value
  ///   that is not there counts as null.
  public func state<T: Decodable & Sendable>(
    at path: ValuePath = .root, as type: T.Type = T.self
  ) throws(ValueTypeError) -> T {
    try decoded(path.components.isEmpty ? state : state[at: path], at: path, as: type)
  }

  /// A value at `path` as a Swift type, with what was made of it before.
  func decoded<T: Decodable & Sendable>(
    _ value: Value, at path: ValuePath, as type: T.Type
  ) throws(ValueTypeError) -> T {
    if let scalar = value.scalar(as: type) { return scalar }
    return try decoder(of: type, at: path).decode(value, at: path)
  }

  struct DecoderKey: Hashable, Sendable {
    let path: ValuePath
    let type: ObjectIdentifier
  }

  private func decoder<T>(of type: T.Type, at path: ValuePath) -> ReusingDecoder<T> {
    let key = DecoderKey(path: path, type: ObjectIdentifier(type))
    return decoders.withLock { decoders in
      if let known = decoders[key] as? ReusingDecoder<T> { return known }
      let new = ReusingDecoder<T>()
      // A limit, because paths may come from outside.
      if decoders.count >= 64 { decoders = [:] }
      decoders[key] = new
      return new
    }
  }

  /// Calls `handler` with the new value at `path` as a Swift type, otherwise as
  /// ``observe(_:initially:_:)`` does. Unchanged parts are not decoded again.
  ///
  /// A value that does not fit, or is gone, is a failure. The observation goes on, and the next value
  /// that fits is a success.
  public func observe<T: Decodable & Sendable>(
    at path: ValuePath = .root, as type: T.Type, initially: Bool = false,
    _ handler: @escaping @Sendable (Result<T, ValueTypeError>) -> Void
  ) -> StoreObservation {
    observe(at: path, as: type, initially: initially, to: nil, handler)
  }

  private func observe<T: Decodable & Sendable>(
    at path: ValuePath, as type: T.Type, initially: Bool, to outbox: Outbox?,
    _ handler: @escaping @Sendable (Result<T, ValueTypeError>) -> Void
  ) -> StoreObservation {
    let decoder = ReusingDecoder<T>()
    return register(path, initially: initially, to: outbox) { value, _ in
      handler(Result { () throws(ValueTypeError) in try decoder.decode(value, at: path) })
    }
  }

  /// The value at `path` as a Swift type, now and after each change. Values that do not fit are
  /// failures, after which the stream goes on. Otherwise as ``values(at:)``.
  ///
  /// ```swift
  /// for await count in store.values(at: "count", as: Int.self) { show(try count.get()) }
  /// ```
  public func values<T: Decodable & Sendable>(
    at path: ValuePath = .root, as type: T.Type
  ) -> AsyncStream<Result<T, ValueTypeError>> {
    .observing(.bufferingNewest(1)) { outbox, yield in
      observe(at: path, as: type, initially: true, to: outbox, yield)
    }
  }
}

extension Value {
  /// A scalar as one of the types that need no decoder; nil for others, and if it does not fit.
  fileprivate func scalar<T>(as type: T.Type) -> T? {
    switch self {
    case .integer(let number) where type == Int.self: Int(exactly: number) as? T
    case .string(let text) where type == String.self: text as? T
    case .boolean(let flag) where type == Bool.self: flag as? T
    case .float(let number) where type == Double.self: number as? T
    case _ where type == Value.self: self as? T
    default: nil
    }
  }
}
