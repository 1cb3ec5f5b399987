import Dispatch
import LuaBridge
import LuaSyntax
import Synchronization

/// Parses a script on a thread with an 8 MiB stack, so that the nesting that Lua allows fits
/// whatever stack the caller has. Falls back to the calling thread if no thread can be started.
final class AnalysisThread: Sendable {
  typealias Outcome = Result<ScriptAnalysis, LuaSyntaxError>

  private let outcome = Mutex<Outcome?>(nil)
  private let done = DispatchSemaphore(value: 0)

  func analysis(of source: [UInt8]) -> Outcome {
    let started: Void? = try? BlockingThread.run {
      self.outcome.withLock { $0 = Self.read(source) }
      self.done.signal()
    }
    guard started != nil else { return Self.read(source) }
    done.wait()
    let outcome = outcome.withLock { outcome in
      let read = outcome
      outcome = nil
      return read
    }
    return outcome ?? Self.read(source)
  }

  private static func read(_ source: [UInt8]) -> sending Outcome {
    do throws(LuaSyntaxError) {
      return .success(ScriptAnalysis(try LuaParser.parse(source)))
    } catch {
      return .failure(error)
    }
  }
}
