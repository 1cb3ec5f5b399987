#if os(Linux)
import Foundation
import LuaBridge
import Platform
import Testing

/// `runner run --shared`, when a call of the system fails once.
@Suite(.enabled(if: FailingCalls.library != nil, "there is no clang that makes a library here"))
struct FailingCallTests {
  /// Of so many calls one fails; `SWEEP_STEP=1` in the environment lets each of them fail, one in each run.
  private static let step =
    ProcessInfo.processInfo.environment["SWEEP_STEP"].flatMap { Int($0) } ?? 19

  @Test(arguments: FailingCalls.Fault.allCases)
  func aCallOfASaveThatFailsOnceLosesNothing(fault: FailingCalls.Fault) throws {
    var codes: Set<String> = []
    var (call, hasFailed) = (Int.random(in: 1...Self.step), true)
    while hasFailed {
      let session = try Session(fault, at: call)
      codes.formUnion(try session.goOn())
      hasFailed = session.failure != nil
      if hasFailed { try Session(fault, at: call).kill() }
      call += Self.step
    }
    #expect(codes.isSubset(of: [fault.code, "none"]), "\(codes)")
    // Some calls are such that without them a file cannot be written.
    if Self.step == 1 {
      #expect(codes.isEmpty == [.interrupted, .short].contains(fault), "\(codes)")
    }
  }

  /// A run with a stored log, of which one call fails.
  private struct Session {
    private let log: StoredLog
    private let runner: Conversation
    private let armed: TemporaryFolder
    private let name: Comment
    private static let count = 3

    init(_ fault: FailingCalls.Fault, at call: Int) throws {
      log = try StoredLog(count: Self.count)
      armed = try TemporaryFolder()
      name = "call \(call), \(fault)"
      runner = try log.start(
        FailingCalls.environment(fault, at: call, in: log.stored, armed: armed.url("armed").path))
      let found = try StoredLog.Found(runner.send("check"))
      #expect(found.isWhole && found.count == Self.count, name)
      try armed.write("", to: "armed")
      _ = runner.send("add")
      try wait(for: 1)
    }

    /// The call that has failed; nil if none has.
    var failure: String? {
      (try? armed.text("armed")).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Waits until the file has so many additions, or until a call has failed. At each moment it has the
    /// old text or the new one.
    private func wait(for additions: Int, orFailure: Bool = true) throws {
      while try log.count() < Self.count + additions, !(orFailure && failure != nil) {
        usleep(200)
      }
    }

    /// The run goes on, and ends by itself. Returns the codes of the errors that it has shown.
    func goOn() throws -> Set<String> {
      let failure = failure
      if failure == nil { try FileManager.default.removeItem(at: armed.url("armed")) }
      _ = runner.send("add")
      try wait(for: 2, orFailure: false)
      // An error that has passed is told behind the write.
      var found: StoredLog.Found
      repeat {
        found = try StoredLog.Found(runner.send("check"))
      } while !["none", nil].contains(found.saves.last)
      #expect(found.isWhole && found.count == Self.count + 2, name)
      runner.endInput()
      let (status, _, errors) = runner.end()
      #expect(status == 0 && errors.isEmpty, "\(name): \(failure ?? "none"): \(errors)")
      #expect(try log.names() == StoredLog.allNames, "\(name): \(failure ?? "none")")
      let last = try log.check()
      #expect(last.isWhole && last.count == Self.count + 2, "\(name): \(failure ?? "none")")
      #expect(last.seen == last.count, "\(name): \(failure ?? "none")")
      return Set(found.saves)
    }

    /// The run is killed.
    func kill() throws {
      _ = runner.send("add")
      // The call may also have failed in this action.
      let failure = failure ?? "none"
      // What could not be written to a journal is safe when it is in the file.
      if failure.contains(".journal") || failure.hasSuffix("/.\n") {
        try wait(for: 2, orFailure: false)
      }
      runner.signal(SIGKILL)
      _ = runner.end()
      let last = try log.check()
      #expect(last.isWhole && last.count == Self.count + 2, "\(name): \(failure)")
      #expect(last.seen == last.count, "\(name): \(failure)")
    }
  }
}
#endif
