import LuaBridge

/// Suspending bodies that compute for long.
extension EffectRunner {
  var hasSuspended: Bool { !suspended.isEmpty }

  /// Called when a body has used up its slice. A cancelled body that goes on computing is stopped.
  func suspend(_ body: Body, _ use: BodyUse) {
    if body.isCancelled {
      body.swallowed += 1
      if body.swallowed >= Body.mostSwallowed { return stop(body) }
    }
    if yieldsToOtherThreads {
      body.state = .suspended(use)
      suspended.append(body)
    } else {
      wake(body, with: .goOn(use))
    }
  }

  /// Makes the first suspended body ready. Returns false if there is none.
  @discardableResult
  func resumeSuspended() -> Bool {
    guard !suspended.isEmpty else { return false }
    let body = suspended.removeFirst()
    if case .suspended(let use) = body.state { wake(body, with: .goOn(use)) }
    return true
  }

  /// Makes the suspended bodies of a store ready. Returns false if there are none.
  func resumeSuspended(of effects: StoreEffects) -> Bool {
    let bodies = suspended.filter { $0.effects === effects }
    suspended.removeAll { $0.effects === effects }
    for body in bodies {
      if case .suspended(let use) = body.state { wake(body, with: .goOn(use)) }
    }
    return !bodies.isEmpty
  }

  func removeSuspended(_ body: Body) { suspended.removeAll { $0 === body } }

  /// Ends a body that has swallowed its cancellation too often.
  func stop(_ body: Body) {
    if let thread = body.thread { body.vm.stop(thread) }
    body.run(on: nil)
    body.effects.warnOfSwallowing(body)
    if let join = body.parent as? Join { join.partEnded(body, .cancel) }
    body.end()
  }
}
