import LuaBridge

/// Waits that a test ends.
extension EffectRunner {
  /// Whether the caller is the test itself. No handler and no effect runs, and no function that
  /// maps an action or says what a test expects.
  var isOutside: Bool {
    running == nil && !isRunning && !isTransforming && !isHandling() && tests?.isExpecting != true
  }

  /// Makes the running body wait for the next value of a stream, unless there is one.
  func read(_ stream: TestStream, in vm: LuaVM) throws -> HostResult {
    let body = try bodyForWait("test.stream", in: vm)
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
  func wakeReaders(of stream: TestStream) {
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
  func stopReading(_ body: Body, of stream: TestStream) {
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
  func waitForever(in vm: LuaVM) throws -> HostResult {
    let body = try bodyForWait("test.never", in: vm)
    if case .doomed = body.state { return .yield([]) }
    body.state = .parked
    return .yield([])
  }

  /// The feature whose handler or effect runs; nil in the test itself.
  var currentFeature: String? { running?.owner?.feature ?? handlingFeature() }
}
