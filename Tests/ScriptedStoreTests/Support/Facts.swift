import ScriptedStore
import Synchronization

/// A service of number facts that answers when the test says so.
final class Facts: Sendable {
  struct Unknown: Error, CustomStringConvertible {
    var description: String { "there is no such fact" }
  }

  /// The numbers that were asked about, and whose request was cancelled.
  let asked = Recorder<Int>()
  let cancelled = Recorder<Int>()

  private typealias Answer = CheckedContinuation<String, any Error>
  private struct Request {
    var id: Int
    var number: Int
    var answer: Answer?
  }
  private let requests = Mutex<(next: Int, open: [Request])>((0, []))

  var dependency: Dependency {
    .client(["fetch": .asyncFunction("number") { (number: Int) in try await self.fetch(number) }])
  }

  private func fetch(_ number: Int) async throws -> String {
    let id = requests.withLock { requests in
      requests.next += 1
      requests.open.append(Request(id: requests.next, number: number))
      return requests.next
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (answer: Answer) in
        let isOpen = requests.withLock { requests in
          guard let index = requests.open.firstIndex(where: { $0.id == id }) else { return false }
          requests.open[index].answer = answer
          return true
        }
        if isOpen {
          asked.record(number)
        } else {
          answer.resume(throwing: CancellationError())
        }
      }
    } onCancel: {
      let request = requests.withLock { requests in
        requests.open.firstIndex { $0.id == id }.map { requests.open.remove(at: $0) }
      }
      cancelled.record(number)
      request?.answer?.resume(throwing: CancellationError())
    }
  }

  /// Answers the oldest request, once there is one; with an error for nil.
  func answer(_ fact: String?) async {
    while true {
      let request = requests.withLock { requests in
        requests.open.first?.answer == nil ? nil : requests.open.removeFirst()
      }
      if let request {
        if let fact {
          request.answer?.resume(returning: fact)
        } else {
          request.answer?.resume(throwing: Unknown())
        }
        return
      }
      await Task.yield()
    }
  }
}
