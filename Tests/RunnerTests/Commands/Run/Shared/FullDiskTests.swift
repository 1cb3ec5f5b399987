#if os(Linux)
import Foundation
import LuaBridge
import Platform
import Testing

/// A disk that only one process sees.
enum OwnDisk {
  /// The command in front of another one that may mount; nil if there is none.
  static let unshare: [String]? = [["unshare", "-m"], ["unshare", "-Urm"]].first { command in
    let outcome = try? RunnerProcess.shell(
      (command + ["mount -t tmpfs -o size=64k tmpfs /mnt"]).joined(separator: " "))
    return outcome?.status == 0
  }

  static let isMissing: Comment = "a process cannot mount a tmpfs of its own here"
}

/// `runner run --shared` on a disk of 64 KiB, which only that process sees.
@Suite(.enabled(if: OwnDisk.unshare != nil, OwnDisk.isMissing))
struct FullDiskTests {
  @Test func whatAFullDiskRefusesIsWrittenWhenThereIsRoom() throws {
    let log = try StoredLog()
    let mount = "mount -t tmpfs -o size=64k tmpfs \"$0\" && exec \"$@\""
    let runner = try Conversation(
      command: try #require(OwnDisk.unshare)
        + ["sh", "-c", mount, log.stored, RunnerProcess.executable.path] + log.arguments)
    _ = runner.send("check")
    // The folder as the process sees it.
    let folder = "/proc/\(runner.process)/root\(log.stored)"
    var count = 0
    func add(_ additions: Int) {
      for _ in 0..<additions { _ = runner.send("add") }
      count += additions
    }
    func waitForFile() throws {
      while try StoredLog.count(in: folder) < count { usleep(1000) }
    }

    add(2)
    try waitForFile()
    for round in 1...3 {
      let before = count
      try fill(folder)
      add(1)
      while try saves(runner).count < 2 * round - 1 { usleep(1000) }
      #expect(try saves(runner).last == "full")
      // The store goes on, and the file has the old text.
      add(100)
      #expect(try StoredLog.count(in: folder) == before)
      try FileManager.default.removeItem(atPath: folder + "/filler")
      add(1)
      try waitForFile()
      while try saves(runner).last != "none" { usleep(1000) }
    }
    let found = try StoredLog.Found(runner.send("check"))
    #expect(found.isWhole && found.count == count && found.seen == count)
    #expect(found.saves == ["full", "none", "full", "none", "full", "none"])
    while try names(in: folder) != StoredLog.allNames { usleep(1000) }
    runner.endInput()
    let (status, _, errors) = runner.end()
    #expect(status == 0 && errors.isEmpty, "\(errors)")
  }

  private func saves(_ runner: Conversation) throws -> [String] {
    try StoredLog.Found(runner.send("check")).saves
  }

  private func names(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  /// Writes a file that takes all the room there is.
  private func fill(_ folder: String) throws {
    let filler = open(folder + "/filler", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    #expect(filler >= 0)
    defer { close(filler) }
    let page = [UInt8](repeating: 0, count: 512)
    while write(filler, page, page.count) > 0 {}
    #expect(errno == ENOSPC)
  }
}
#endif
