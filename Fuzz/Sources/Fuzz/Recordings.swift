import Foundation
import LuaBridge
import ScriptedStore

/// Reads bytes as a recording. What can be read is written and read again as the same, is replayed, and becomes a test.
struct Recordings: Target {
  static let longest = 8192

  private let host: ScriptHost

  init() throws {
    let root = URL(filePath: #filePath).appending(path: "../../../Scripts").standardizedFileURL
    host = try ScriptHost(
      root: root.path,
      configuration: ScriptHost.Configuration(
        limits: .untrusted, onWarning: nil, onError: nil))
  }

  func run(_ bytes: UnsafeRawBufferPointer) throws {
    let recording: Recording
    do throws(HistoryError) {
      recording = try Recording(jsonLines: String(decoding: bytes, as: UTF8.self))
    } catch {
      guard error.message.hasPrefix("line ") else {
        throw Surprise("a mistake without its line: \(error)")
      }
      return
    }
    try checkText(of: recording)
    _ = recording.testSource(defaults: ["count": 0])
    // A script that is not there, or a state that the feature cannot take, is an error and no surprise.
    let report = try? host.replay(recording)
    if let difference = report?.difference { _ = difference.description }
    _ = try? host.changedScripts(since: recording)
  }

  /// Written, it reads as the same. States of some depth have no room on a line: they are left out.
  private func checkText(of recording: Recording) throws {
    let states = [recording.initialState, recording.finalState] + recording.entries.map(\.state)
    guard states.allSatisfy({ $0.depth <= Self.deepest }) else { return }
    let text = recording.jsonLines
    let again = try Recording(jsonLines: text)
    guard again.jsonLines == text, again.entries.map(\.state) == recording.entries.map(\.state),
      again.finalState == recording.finalState
    else {
      throw Surprise("the recording is written as\n\(text)which is read as\n\(again.jsonLines)")
    }
  }

  /// How deep states may nest in a recording.
  private static let deepest = 120
}
