import Foundation
import ScriptedStore
import ScriptedStoreFiles
import Synchronization
import Testing

/// Files and folders of shared values that cannot be used as they are: the default is used, somebody is told with the
/// key, the file and the remedy, and nothing is lost.
struct BadFileTests {
  private let sandbox: Sandbox

  init() throws {
    sandbox = try Sandbox()
    try sandbox.makeFolder("scripts")
    for (name, status) in [("app", ", status = settings:status()"), ("silent", "")] {
      try sandbox.put(
        """
        local scripted = require "scripted"
        local settings = scripted.shared.fileStorage("settings.json", { size = 12 }, { interval = 0 })
        return scripted.feature {
          state = {}, shared = { settings = settings\(status) },
          on = { bigger = function(state) state.settings.size = state.settings.size + 1 end },
        }
        """, at: "scripts/\(name).lua")
    }
  }

  private func host(_ warnings: Warnings = Warnings()) throws -> ScriptHost {
    try sandbox.makeFolder("stored")
    var configuration = ScriptHost.Configuration(onWarning: { warnings.add($0) })
    configuration.shared = try .folder(sandbox.inside + "/stored")
    return try ScriptHost(root: sandbox.inside + "/scripts", configuration: configuration)
  }

  private final class Warnings: Sendable {
    private let messages = Mutex<[String]>([])
    func add(_ warning: RuntimeWarning) { messages.withLock { $0.append(warning.message) } }
    var all: [String] { messages.withLock { $0 } }
  }

  enum Bad: String, CaseIterable, Sendable {
    case broken, notUTF8, duplicateKeys, deep, otherType, newer, folder, link, large

    /// The code of the failure, a part of its message, and one of the remedy.
    var expected: (code: String, message: String, remedy: String) {
      switch self {
      case .broken: ("broken", "line 1, column 2", "repair it")
      case .notUTF8: ("broken", "UTF-8", "repair it")
      case .duplicateKeys: ("broken", "duplicate", "repair it")
      case .deep: ("broken", "128", "repair it")
      case .otherType: ("invalid", "type object", "repair it")
      case .newer: ("newer", "version 9", "run the newer scripts")
      case .folder: ("isFolder", "folder", "give the file of the key another name")
      case .link: ("link", "link", "put the file itself in its place")
      case .large: ("tooLarge", "bytes", "shared.database")
      }
    }

    /// What the file has; nil if it is none.
    var text: [UInt8]? {
      switch self {
      case .broken: Array("{".utf8)
      case .notUTF8: Array("{\"theme\":\"".utf8) + [0xFF] + Array("\"}".utf8)
      case .duplicateKeys: Array("{\"size\":1,\"size\":2}".utf8)
      case .deep:
        Array(String(repeating: "[", count: 1000).utf8)
          + Array(String(repeating: "]", count: 1000).utf8)
      case .otherType: Array("[1]".utf8)
      case .newer: Array("{\"$version\":9,\"$value\":{}}".utf8)
      case .large: Array(repeating: UInt8(ascii: " "), count: 11 << 20)
      case .folder, .link: nil
      }
    }
  }

  private func make(_ bad: Bad) throws {
    let url = URL(fileURLWithPath: sandbox.inside + "/stored/settings.json")
    switch bad {
    case .folder: try sandbox.makeFolder("stored/settings.json/full")
    case .link: try sandbox.link("stored/settings.json", to: "../../secret.txt")
    default: try Data(bad.text ?? []).write(to: url)
    }
  }

  @Test(arguments: Bad.allCases)
  func theDefaultIsUsedAndNothingIsLost(bad: Bad) throws {
    let host = try host()
    try make(bad)
    let store = try host.store("app")
    #expect(store.state["settings"] == ["size": 12])
    let failure = store.state["status"]["loadError"]
    #expect(failure["code"] == .string(bad.expected.code))
    #expect(failure["message"].string?.contains(bad.expected.message) == true, "\(failure)")
    #expect(failure["path"] == "settings.json")
    // The store goes on.
    store.send("bigger")
    host.flush()
    #expect(store.state["settings"] == ["size": 13])
    let isReplaced = ["broken", "invalid"].contains(bad.expected.code)
    let old = "stored/settings.json" + (isReplaced ? ".broken-1" : "")
    if let text = bad.text {
      #expect(FileManager.default.contents(atPath: sandbox.inside + "/" + old) == Data(text))
    } else if bad == .folder {
      #expect(try sandbox.names(in: "stored/settings.json") == ["full"])
    } else {
      #expect(sandbox.text(at: "../secret.txt") == "secret")
    }
    if isReplaced {
      #expect(sandbox.text(at: "stored/settings.json")?.contains("13") == true)
      #expect(store.state["status"] == ["isLoading": false])
    } else {
      #expect(store.state["status"]["saveError"]["path"] == "settings.json")
    }
    host.close()
  }

  @Test func whatCannotBeReadIsNotReplacedByACopy() throws {
    let host = try host()
    try make(.broken)
    let other = URL(fileURLWithPath: sandbox.inside + "/stored/settings.json.broken-1")
    let large = Data(Bad.large.text ?? [])
    try large.write(to: other)
    let store = try host.store("app")
    store.send("bigger")
    host.flush()
    #expect(try Data(contentsOf: other) == large)
    #expect(sandbox.text(at: "stored/settings.json") == "{")
    #expect(store.state["status"]["saveError"]["path"] == "settings.json")
    try FileManager.default.removeItem(at: other)
    store.send("bigger")
    host.flush()
    #expect(sandbox.text(at: "stored/settings.json.broken-1") == "{")
    #expect(store.state["status"] == ["isLoading": false])
    host.close()
  }

  @Test(arguments: Bad.allCases)
  func whatNoFeatureShowsIsAWarningWithTheRemedy(bad: Bad) throws {
    let warnings = Warnings()
    let host = try host(warnings)
    try make(bad)
    _ = try host.store("silent")
    #expect(warnings.all.count == 1)
    let message = warnings.all.first ?? ""
    for part in [
      "the shared value 'settings.json' cannot be read from settings.json", bad.expected.remedy,
    ] {
      #expect(message.contains(part), "\(message)")
    }
    host.close()
  }

  /// What another program makes of a file while the program runs.
  @Test(arguments: [
    ("{", "line 1, column 2: expected a key in quotes, found end of input", "repair the file"),
    (
      "{\"$version\":9,\"$value\":0}", "another program has written version 9",
      "run the newer scripts"
    ),
  ])
  func aTextThatCannotBeTakenOverIsAWarningWithTheRemedy(
    text: String, reason: String, remedy: String
  ) throws {
    let warnings = Warnings()
    let host = try host(warnings)
    let store = try host.store("silent")
    store.send("bigger")
    host.flush()
    try sandbox.put(text, at: "stored/settings.json")
    host.flush()
    store.send("whatever")
    let message = warnings.all.first ?? ""
    let start = #"the shared value fileStorage "settings.json" cannot be loaded from "#
    #expect(message.hasPrefix(start + "settings.json: " + reason), "\(message)")
    #expect(message.contains(remedy), "\(message)")
    #expect(store.state["settings"] == ["size": 13])
    host.close()
  }

  @Test func aFolderThatGoesAwayIsAWarningWithTheRemedy() throws {
    let warnings = Warnings()
    let host = try host(warnings)
    let store = try host.store("silent")
    try FileManager.default.removeItem(atPath: sandbox.inside + "/stored")
    store.send("bigger")
    host.flush()
    store.send("whatever")
    let message = warnings.all.first ?? ""
    for part in ["cannot be saved to settings.json: ", "(notFound)", "has to be made again"] {
      #expect(message.contains(part), "\(message)")
    }
    host.close()
  }

  @Test func aFolderThatGoesAwayLeavesTheValuesInMemory() throws {
    let host = try host()
    let store = try host.store("app")
    store.send("bigger")
    host.flush()
    try FileManager.default.removeItem(atPath: sandbox.inside + "/stored")
    for _ in 0..<3 { store.send("bigger") }
    host.flush()
    #expect(store.state["settings"] == ["size": 16])
    let failure = store.state["status"]["saveError"]
    #expect(failure["code"] == "notFound" && failure["path"] == "settings.json", "\(failure)")
    host.close()
  }
}
