import Foundation
import Synchronization
import Testing

/// The repository's example scripts.
let exampleScripts = URL(filePath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent().appending(path: "scripts").path

/// The messages of the issues that are recorded while `body` runs.
func reportedIssues(
  isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
) async -> [String] {
  let messages = Mutex<[String]>([])
  await withKnownIssue(isIntermittent: true) {
    do { try await body() } catch { Issue.record(error) }
  } matching: { issue in
    messages.withLock { $0.append(issue.comments.map(\.rawValue).joined()) }
    return true
  }
  return messages.withLock { $0 }
}
