import LuaBridge

/// What goes on when a test says so.
extension EffectRunner {
  /// Whether neither a handler nor an effect runs, nor a function that transforms an action or that says what a test
  /// expects: who calls is the test itself.
  var isOutside: Bool {
    running == nil && !isRunning && !isTransforming && !isHandling() && !isExpecting()
  }

  /// Makes the running body wait for the next value of a stream, unless one is there.
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

  /// Lets as many of those who wait for a stream look again as find something there.
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

  /// A body that was cancelled takes no value any more, and leaves what it was woken for to another one.
  func stopReading(_ body: Body, of stream: TestStream) {
    if let index = readers.firstIndex(where: { $0 === body }) {
      readers.remove(at: index)
      wake(body, with: .cancel)
    } else {
      // Its turn comes anyway.
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

  /// Whose handler or effect runs, nil in a test.
  var currentFeature: String? { running?.owner?.feature ?? handlingFeature() }
}
