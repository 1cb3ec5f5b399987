#if Journal && os(Linux)
import Foundation

/// A disk for the journal of a folder, and a wall clock, that fail as a test wants: the library of
/// `Tests/FaultyDisk/disk.c`, which is loaded into the processes that own the journal.
struct FaultyDisk {
  /// How a process ends, after so many operations on the disk.
  enum End: String {
    /// The power goes, and a random part of what is unsynced is lost.
    case some
    /// The power goes, and all that is unsynced is lost.
    case all
    /// The power goes, and of the log all that is unsynced is lost. All else is on the disk.
    case log
    /// The process is killed. What is unsynced stays so.
    case killed
  }

  /// What a process meets as long as it is there.
  enum Fault: String {
    /// Writes fail with EIO.
    case writeFails = "write-fails"
    /// `fsync` fails with EIO. What it should have written is never written, unless it is written into the file again.
    case syncFails = "sync-fails"
    /// The process ends before the next `fsync`, as its environment says: `killed`, if it says nothing.
    case syncEnds = "sync-ends"
    /// `fsync` does not return.
    case syncWaits = "sync-waits"
    /// Files cannot grow.
    case full = "full"
    /// Nothing fails at random.
    case steady = "steady"
  }

  private let rooms: Rooms
  private let control: String

  init(_ rooms: Rooms) throws {
    self.rooms = rooms
    control = "\(rooms.folder)/disk"
    try FileManager.default.createDirectory(atPath: control, withIntermediateDirectories: true)
  }

  /// Nil without clang.
  static let library: String? = {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("faulty-disk-\(UUID().uuidString)")
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let compiler = Process()
    compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    compiler.arguments = [
      "clang", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o",
      "\(folder.path)/disk.so", "\(tests.path)/FaultyDisk/disk.c", "-ldl",
    ]
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try compiler.run()
      compiler.waitUntilExit()
      return compiler.terminationStatus == 0 ? "\(folder.path)/disk.so" : nil
    } catch {
      return nil
    }
  }()

  /// The environment of a process.
  ///
  /// - Parameters:
  ///   - end: how it ends; nil for not by the disk.
  ///   - operations: after how many operations; 0 for not by their number.
  ///   - writes: after how many writes into the file itself, as a checkpoint makes them; nil for not by their number.
  ///   - seed: of what is lost.
  ///   - lies: whether `fsync` returns at once, and does nothing.
  ///   - failures: in how many calls of `fsync` one fails at random, and a write in eight times as many; nil for none.
  func environment(
    _ end: End? = nil, after operations: Int = 0, writes: Int? = nil, seed: UInt64 = 0,
    lies: Bool = false, failures: Int? = nil
  ) -> [String: String] {
    var variables = [
      "LD_PRELOAD": Self.library ?? "", "DISK_FOLDER": rooms.folder, "DISK_NAME": "rooms.db",
      "DISK_CONTROL": control, "DISK_SEED": "\(seed)",
      // Else AddressSanitizer wants to be the first library.
      "ASAN_OPTIONS": "verify_asan_link_order=0:detect_leaks=0",
    ]
    if let end { (variables["DISK_END"], variables["DISK_CUT"]) = (end.rawValue, "\(operations)") }
    if let writes { variables["DISK_WRITES"] = "\(writes)" }
    if lies { variables["DISK_LIES"] = "1" }
    if let failures { variables["DISK_FAILURES"] = "\(failures)" }
    return variables
  }

  /// Begins or ends a fault, also for a process that runs.
  ///
  /// - Parameter times: how often it is met until it ends by itself; nil for until it is ended.
  func set(_ fault: Fault, _ isThere: Bool, times: Int? = nil) throws {
    let path = "\(control)/\(fault.rawValue)"
    if isThere {
      try? FileManager.default.removeItem(atPath: "\(path)-met")
      let text = times.map { "\($0)" } ?? ""
      try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    } else {
      try FileManager.default.removeItem(atPath: path)
    }
  }

  /// Waits until a process has met a fault since it was set.
  func waitUntilMet(_ fault: Fault) {
    while !FileManager.default.fileExists(atPath: "\(control)/\(fault.rawValue)-met") {
      // A test that was ended is cancelled, and must not go on for ever.
      if Task.isCancelled { return }
      usleep(200)
    }
  }

  /// Sets the wall clock of processes, also of one that runs, by so many seconds from that of the machine.
  func setClock(_ seconds: Int) throws {
    let file = URL(fileURLWithPath: "\(control)/clock")
    try Data("\(seconds)".utf8).write(to: file, options: .atomic)
  }
}
#endif
