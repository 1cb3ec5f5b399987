import LuaBridge

/// What goes on when a test says so.
extension EffectRunner {
  /// Whether neither a handler nor an effect runs, nor a function that transforms an action: what a test does.
  var isOutside: Bool { running == nil && !isRunning && !isTransforming && !vm.isHandling }

  /// Makes the running body wait for the next value of a stream, unless one is there.
  func read(_ stream: TestStream) throws -> HostResult {
    let body = try bodyForWait("test.stream")
    if case .doomed = body.state { return .yield([]) }
    switch stream.take() {
    case .values(let values)?: return .values(values)
    case .error(let error)?: throw error
    default: break
    }
    body.state = .reading(stream)
    readers.append(.passUnretained(body))
    return .yield([])
  }

  /// Lets those who wait for a stream look again.
  func wakeReaders(of stream: TestStream) {
    var others: [Unmanaged<Body>] = []
    for reader in readers {
      let body = reader.takeUnretainedValue()
      if case .reading(let other) = body.state, other === stream {
        enqueue(body)
      } else {
        others.append(reader)
      }
    }
    readers = others
  }

  /// A body that was cancelled takes no value any more.
  func stopReading(_ body: Body) {
    if let index = readers.firstIndex(where: { $0.takeUnretainedValue() === body }) {
      readers.remove(at: index)
      wake(body, with: .cancel)
    } else {
      // Its turn comes anyway.
      body.state = .ready(.cancel)
    }
  }

  /// Makes the running body wait until it is cancelled.
  func waitForever() throws -> HostResult {
    let body = try bodyForWait("test.never")
    if case .doomed = body.state { return .yield([]) }
    body.state = .parked
    return .yield([])
  }

  /// Whose handler or effect runs, nil in a test.
  var currentFeature: String? { running?.owner?.feature ?? handlingFeature() }
}
