import LuaBridge
import ScriptedStore

/// Commands that write files.
extension Console {
  func record(into path: String) throws(ConsoleFailure) {
    guard !path.isEmpty else {
      guard let recording else { throw ConsoleFailure("say into which file: :record FILE") }
      return say("recording into \(recording.path)")
    }
    do {
      let new = try RecordingFile(path, of: history)
      if let failure = closeRecording() { say(text.failure("\(failure)")) }
      recording = new
      say(text.note("recording into \(path)"))
    } catch {
      throw ConsoleFailure("\(path): \(error)")
    }
  }

  /// Closes the recording, if there is one. Returns the reason if it could not be written
  /// completely.
  func closeRecording() -> String? {
    guard let recording else { return nil }
    self.recording = nil
    return recording.close()
  }

  /// Exports the history as a test. The file must not exist yet.
  func exportTest(into path: String) throws(ConsoleFailure) {
    guard !path.isEmpty else {
      throw ConsoleFailure("say into which file: :export-test \(name)_test.lua")
    }
    let source = try ConsoleFailure.catching {
      try host.testSource(of: Recording(jsonLines: history.export()))
    }
    do {
      try WholeFile.create(Array(source.utf8), at: path)
      say(text.note("wrote \(path)"))
    } catch {
      throw ConsoleFailure("\(path): \(error)")
    }
  }
}
