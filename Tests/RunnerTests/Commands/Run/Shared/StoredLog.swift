import Foundation
import LuaBridge
import Platform
import Testing

/// A feature that stores a log, and its folder. A change that is lost, or that counts twice, shows in the
/// log's rows.
final class StoredLog {
  private let folder: TemporaryFolder
  static let mostRows = 20

  /// - Parameter count: how often the stored log was added to; 0 for no file.
  init(count: Int = 0) throws {
    folder = try TemporaryFolder(["app.lua": StoredLog.script])
    try folder.makeFolder("stored")
    guard count > 0 else { return }
    let rows = StoredLog.rows(count).map(String.init).joined(separator: ",")
    try folder.write("{\"count\":\(count),\"rows\":[\(rows)]}\n", to: "stored/log.json")
    try folder.write("{\"seen\":\(count)}\n", to: "stored/app-storage.json")
  }

  private static let script = """
    local scripted = require "scripted"
    local shared = scripted.shared
    local log = shared.fileStorage("log.json", { count = 0, rows = {} }, { interval = 0 })
    return scripted.feature {
      name = "Log", state = { saves = {} },
      shared = { log = log, seen = shared.appStorage("seen", 0), status = log:status() },
      on = {
        add = function(state)
          local log = state.log
          log.count = log.count + 1
          -- In front, so that the same change twice makes another list.
          table.insert(log.rows, 1, log.count)
          if #log.rows > \(mostRows) then table.remove(log.rows) end
          state.seen = log.count
        end,
        check = function(state)
          local log, isWhole = state.log, true
          for i = 1, #log.rows do isWhole = isWhole and log.rows[i] == log.count + 1 - i end
          isWhole = isWhole and #log.rows == math.min(log.count, \(mostRows))
          -- The log is a string and not a list, so that the printed patch of an action has the whole log.
          state.checks = (state.checks or 0) + 1
          state.checked = state.checks .. " " .. log.count .. " " .. state.seen .. " " .. tostring(isWhole) .. " " .. table.concat(state.saves, " ")
        end,
      },
    }:onChange("status.saveError.code", function(state, old, new) table.insert(state.saves, new or "none") end)
    """

  /// The rows of a log that was added to so often.
  static func rows(_ count: Int) -> [Int] { (1...max(1, count)).suffix(mostRows).reversed() }

  var stored: String { folder.url("stored").path }

  var arguments: [String] {
    ["run", folder.url("app.lua").path, "--root", folder.path, "--shared", stored]
  }

  func start(_ environment: [String: String] = [:]) throws -> Conversation {
    try Conversation(arguments, environment: environment)
  }

  /// How often the log in the file was added to; 0 if there is no file. What is there is always a whole
  /// text.
  func count() throws -> Int { try StoredLog.count(in: stored) }

  static func count(in folder: String) throws -> Int {
    guard let text = FileManager.default.contents(atPath: folder + "/log.json") else { return 0 }
    let log = try Value(json: Array(text))
    let count = try #require(log["count"].int, "\(log)")
    #expect(log["rows"].array?.map { $0.int ?? -1 } == rows(count), "\(log)")
    return count
  }

  /// The names of all files, hidden ones included.
  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: stored).sorted()
  }

  static let allNames = [".lock", "app-storage.json", "log.json"]

  /// A run that is not disturbed, and leaves nothing but the files behind. Returns what it found.
  func check() throws -> Found {
    let outcome = try RunnerProcess.run(arguments, input: "check\n")
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
    let found = try Found(outcome.lines.first { $0.contains("\"check\"") } ?? "")
    #expect(try names() == StoredLog.allNames)
    #expect(try count() == found.count)
    return found
  }

  /// What a run finds in its files.
  struct Found {
    let count: Int
    let seen: Int
    let isWhole: Bool
    /// The codes of the errors that saving has had, and `none` after each that has passed.
    let saves: [String]

    /// - Parameter line: the printed record of the action `check`.
    init(_ line: String) throws {
      let patch = try Value(json: line)["patch"].array ?? []
      let checked = try #require(
        patch.first { $0["path"] == "/checked" }?["value"].string, "\(line)")
      let words = checked.split(separator: " ").dropFirst().map(String.init)
      count = Int(words[0]) ?? -1
      seen = Int(words[1]) ?? -1
      isWhole = words[2] == "true"
      saves = Array(words.dropFirst(3))
    }
  }
}

extension Conversation {
  /// Sends an action, and returns its printed record.
  func send(_ action: String) -> String {
    say(action)
    return hear(of: action)
  }

  /// The next printed record of an action. Empty if the runner has ended.
  func hear(of action: String) -> String {
    while true {
      let line = hear()
      if line.isEmpty || line.contains("\"action\":{\"type\":\"\(action)\"") { return line }
    }
  }
}
