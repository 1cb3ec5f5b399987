import LuaBridge

/// A sequence of values that bodies read. It stores the values until they are read, and each value
/// goes to one body: to the one that has waited longest. Who adds a value calls
/// ``EffectRunner/wakeReaders(of:)``.
protocol BufferedStream: AnyObject {
  /// The name of a read in messages.
  var name: String { get }
  /// The number of readers that can continue now.
  var ready: Int { get }
  /// The next value, the end of the stream (nil) or its error, as a body is resumed with it. Nil if
  /// the reader has to wait.
  func take() -> BodyResumption?
}

/// The waits that neither time nor a task ends.
extension EffectRunner {
  /// Makes the running body wait for the next value of a stream, unless there is one.
  func read(_ stream: any BufferedStream, in vm: LuaVM) throws -> HostResult {
    let body = try bodyForWait(stream.name, in: vm)
    if case .doomed = body.state { return .yield([]) }
    switch stream.take() {
    case .values(let values)?: return .values(values)
    case .error(let error)?: throw error
    default: break
    }
    body.state = .reading(stream)
    body.isWaiting = true
    readers.append(body)
    return .yield([])
  }

  /// Makes as many readers of a stream ready as will find a value.
  func wakeReaders(of stream: any BufferedStream) {
    var others: [Body] = []
    var left = stream.ready
    for body in readers {
      if left > 0, case .reading(let other) = body.state, other === stream {
        left -= 1
        enqueue(body)
      } else {
        others.append(body)
      }
    }
    readers = others
  }

  /// Ends the read of a cancelled body. If it was ready to take a value, another reader gets the
  /// value.
  func stopReading(_ body: Body, of stream: any BufferedStream) {
    if let index = readers.firstIndex(where: { $0 === body }) {
      readers.remove(at: index)
      wake(body, with: .cancel)
    } else {
      // The body is in the ready queue, so its turn comes anyway.
      body.state = .ready(.cancel)
      wakeReaders(of: stream)
    }
  }

  /// Makes the running body wait until it is cancelled.
  ///
  /// - Parameter name: The name of the wait in messages.
  func waitForever(_ name: String, in vm: LuaVM) throws -> HostResult {
    let body = try bodyForWait(name, in: vm)
    if case .doomed = body.state { return .yield([]) }
    body.state = .parked(name)
    return .yield([])
  }
}
