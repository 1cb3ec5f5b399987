import LuaBridge
import Synchronization

/// A sequence whose values a test sends; scripts read it as any stream of the host's. It keeps values until they are
/// read. Each goes to one reader; with several, the one that has waited longest comes first.
///
/// ```swift
/// let locations = TestStream()
/// let store = try host.store(
///   "map", dependencies: ["location": .client(["updates": .stream(locations)])])
/// try locations.send(["latitude": 52.5])  // what the script does with it is done when this returns
/// ```
///
/// In Lua it is `test.stream()`.
public final class TestStream: Sendable {
  private struct State: Sendable {
    var values: [Value] = []
    var next = 0
    var isFinished = false
    /// What it ends with, once.
    var failure: (any Error)?
    var links = WorkerLinks()
  }

  private let state = Mutex(State())

  public init() {}

  /// Adds a value, and lets effects that wait for it go on until nothing is ready; when this is called inside of
  /// a reducer or a dependency, they go on afterwards. Throws if the stream is finished. O(1), and O(n) in the bodies that
  /// read streams.
  public func send(_ value: Value) throws(ScriptError) {
    try append(value)
    wake()
  }

  /// Ends it: once its values are read, loops over it end. Throws if it is finished already.
  public func finish() throws(ScriptError) {
    try end(nil)
    wake()
  }

  /// Ends it: once its values are read, one reader gets the error, and from then on it is at its end.
  public func fail(_ error: any Error) throws(ScriptError) {
    try end(error)
    wake()
  }

  private func wake() {
    for link in state.withLock({ $0.links.all }) {
      link.perform { engine in
        engine.effects.wakeReaders(of: self)
        engine.effects.settle()
      }
    }
  }

  // MARK: For the VMs that read it

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

  /// How many readers do not have to wait.
  var ready: Int {
    state.withLock { $0.isFinished ? .max : $0.values.count - $0.next }
  }

  /// How a reader goes on; nil if it has to wait.
  func take() -> BodyResumption? {
    let taken: Result<Value?, any Error>? = state.withLock { state in
      if state.next < state.values.count {
        let value = state.values[state.next]
        state.next += 1
        if state.next >= 1024 && state.next * 2 >= state.values.count {
          state.values.removeFirst(state.next)
          state.next = 0
        }
        return .success(value)
      }
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
