import Dispatch
import Foundation
import Synchronization
import Testing

@testable import ScriptedStore

/// The protocol by which threads enter a worker, most of it alone.
struct TurnstileTests {
  private final class Counter: Sendable {
    let turnstile = Turnstile<Int>()
    let inside = Atomic<Int>(0)
    let overlaps = Atomic<Int>(0)
    let done = Mutex<[Int]>([])

    /// What each thread does that has a request: append it, and run requests as long as it can enter.
    func run(_ request: Int) {
      turnstile.append(request)
      while turnstile.hasRequests {
        if turnstile.wakeReserver() { return }
        guard turnstile.enter() else { return }
        runInside()
        turnstile.leave()
      }
    }

    func runInside() {
      if inside.add(1, ordering: .sequentiallyConsistent).newValue != 1 {
        overlaps.add(1, ordering: .relaxed)
      }
      let requests = turnstile.takeRequests()
      done.withLock { $0 += requests }
      inside.subtract(1, ordering: .sequentiallyConsistent)
    }
  }

  private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
    let group = DispatchGroup()
    for number in 0..<count {
      group.enter()
      Thread.detachNewThread {
        body(number)
        group.leave()
      }
    }
    await withCheckedContinuation { continuation in
      group.notify(queue: .global()) { continuation.resume() }
    }
  }

  @Test func oneThreadIsInsideAtATime() {
    let turnstile = Turnstile<Int>()
    let first = turnstile.enter()
    let second = turnstile.enter()
    turnstile.leave()
    let third = turnstile.enter()
    #expect([first, second, third] == [true, false, true])
  }

  @Test func requestsAreTakenOnceInTheirOrder() {
    let turnstile = Turnstile<Int>()
    var hasRequests = [turnstile.hasRequests]
    for request in 1...3 { turnstile.append(request) }
    hasRequests.append(turnstile.hasRequests)
    let requests = turnstile.takeRequests()
    hasRequests.append(turnstile.hasRequests)
    let later = turnstile.takeRequests()
    #expect(requests == [1, 2, 3])
    #expect(later == [])
    #expect(hasRequests == [false, true, false])
  }

  @Test func noJobIsLostAndNoneRunsTwiceWhoeverLeavesIt() async {
    let counter = Counter()
    await onThreads(8) { thread in
      for request in 0..<2_000 { counter.run(thread * 2_000 + request) }
    }
    #expect(counter.overlaps.load(ordering: .relaxed) == 0)
    let done = counter.done.withLock { $0 }
    #expect(done.sorted() == Array(0..<16_000))
    // Each thread's requests ran in the order in which it appended them.
    for thread in 0..<8 {
      let ofThread = done.filter { $0 / 2_000 == thread }
      #expect(ofThread == ofThread.sorted())
    }
  }

  @Test(.timeLimit(.minutes(30)))
  func whoHasReservedTheNextEntryComesInAlthoughOthersNeverStop() async {
    let counter = Counter()
    let isOver = Atomic<Bool>(false)
    let entries = Atomic<Int>(0)
    await onThreads(4) { thread in
      if thread == 0 {
        for _ in 0..<50 {
          counter.turnstile.reserved { counter.turnstile.enter() }
          counter.runInside()
          counter.turnstile.leave()
          entries.add(1, ordering: .relaxed)
        }
        isOver.store(true, ordering: .sequentiallyConsistent)
      } else {
        while !isOver.load(ordering: .sequentiallyConsistent) { counter.run(thread) }
      }
    }
    #expect(entries.load(ordering: .relaxed) == 50)
    #expect(counter.overlaps.load(ordering: .relaxed) == 0)
  }

  /// A handler that a reload calls may wait for what another thread has sent meanwhile.
  @Test func whoHadReservedTheEntryHandsOverWhatCameBeforeItCallsHandlers() async throws {
    let scripts = try Scripts(["app": "return scripted.feature { state = {} }"])
    let worker = try scripts.store().handle.worker
    let (late, isThere) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let isInTime = Recorder<Bool>()
    await onOwnThread {
      worker.performNext { engine in
        engine.deliver(to: nil) { isInTime.record(late.wait(timeout: .now() + 10) == .success) }
        // Is appended, because this thread is inside, and runs when this thread has taken the inbox.
        worker.submit(
          .perform { _ in
            Thread.detachNewThread {
              worker.submit(.perform { _ in late.signal() })
              isThere.signal()
            }
            isThere.wait()
          })
      }
    }
    #expect(isInTime.all == [true])
    withExtendedLifetime(scripts) {}
  }

  @Test(.timeLimit(.minutes(30)))
  func aThreadThatSleepsInsideWakesForAJob() {
    let turnstile = Turnstile<Int>()
    let (isWokenForNothing, isWoken, requests) = turnstile.pumping {
      let early = turnstile.sleep(until: .now())
      turnstile.append(7)
      return (early, turnstile.sleep(until: .now() + 30), turnstile.takeRequests())
    }
    #expect(!isWokenForNothing)
    #expect(isWoken)
    #expect(requests == [7])
    // A request that came while no thread slept inside does not end a later sleep.
    turnstile.append(8)
    let isWokenLate = turnstile.pumping { turnstile.sleep(until: .now()) }
    #expect(!isWokenLate)
  }
}
