import DequeModule
import LuaBridge
import Synchronization

/// A sequence whose values a test sends. Scripts read it like any stream of the host. The stream
/// stores values until they are read. Each value goes to one reader: to the one that has waited
/// longest.
///
/// ```swift
/// let locations = TestStream()
/// let store = try host.store(
///   "map", dependencies: ["location": .client(["updates": .stream(locations)])])
/// try locations.send(["latitude": 52.5])  // when this returns, the scripts have used the value
/// ```
///
/// In Lua it is `test.stream()`.
public final class TestStream: Sendable {
  private struct State: Sendable {
    var values: Deque<Value> = []
    var isFinished = false
    /// The error at the end of the stream, until a reader has taken it.
    var failure: (any Error)?
    var links = WorkerLinks()
  }

  private let state = Mutex(State())

  public init() {}

  /// Adds a value, and runs the effects that wait for it until none is ready. Inside a reducer or a
  /// dependency, the effects run after that has returned. O(1), plus O(n) in the number of bodies
  /// that wait for streams.
  ///
  /// - Throws: An error if the stream is finished.
  public func send(_ value: Value) throws(ScriptError) {
    try append(value)
    wake()
  }

  /// Ends the stream. A loop over it ends after it has read the remaining values.
  ///
  /// - Throws: An error if the stream is finished already.
  public func finish() throws(ScriptError) {
    try end(nil)
    wake()
  }

  /// Ends the stream with an error. After the remaining values are read, one reader gets the error;
  /// for all others, the stream has ended.
  ///
  /// - Throws: An error if the stream is finished already.
  public func fail(_ error: any Error) throws(ScriptError) {
    try end(error)
    wake()
  }

  private func wake() {
    for link in state.withLock({ $0.links.all }) {
      link.perform { engine in
        engine.effects.wakeReaders(of: self)
        engine.effects.runUntilIdle()
      }
    }
  }

  // MARK: Feeding

  func attach(_ link: WorkerLink) {
    state.withLock { $0.links.add(link) }
  }

  func append(_ value: Value) throws(ScriptError) {
    guard
      state.withLock({ state in
        if !state.isFinished { state.values.append(value) }
        return !state.isFinished
      })
    else { throw ScriptError("the stream is finished; nothing can be sent any more") }
  }

  func end(_ failure: (any Error)?) throws(ScriptError) {
    guard
      state.withLock({ state in
        if state.isFinished { return false }
        (state.isFinished, state.failure) = (true, failure)
        return true
      })
    else { throw ScriptError("the stream is finished already") }
  }
}

extension TestStream: BufferedStream {
  var name: String { "test.stream" }

  var ready: Int {
    state.withLock { $0.isFinished ? .max : $0.values.count }
  }

  func take() -> BodyResumption? {
    let taken: Result<Value?, any Error>? = state.withLock { state in
      if let value = state.values.popFirst() { return .success(value) }
      guard state.isFinished else { return nil }
      defer { state.failure = nil }
      return state.failure.map { .failure($0) } ?? .success(nil)
    }
    switch taken {
    case .success(let value)?: return .values([value.map { LuaValue($0) } ?? .nil])
    case .failure(let error)?: return .error(error)
    case nil: return nil
    }
  }
}
