import Foundation
import Testing

/// runner swift.
struct SwiftCommandTests {
  let scripts: TemporaryFolder

  init() throws {
    scripts = try TemporaryFolder([
      "app.lua": """
      return require("scripted").feature {
        name = "App",
        state = { count = 0 },
        on = { add = function() end },
      }
      """,
      "typo.lua": """
      return require("scripted").feature {
        ---@type Ap
        state = { count = 0 },
      }
      """,
      "broken.lua": "error('no')",
    ])
  }

  func run(_ arguments: String...) throws -> RunnerProcess.Outcome {
    try RunnerProcess.run(["swift"] + arguments + ["--root", scripts.path], in: scripts.folder)
  }

  @Test func theTypesArePrinted() throws {
    let outcome = try run("app")
    #expect(
      outcome.output == """
        // Made by `runner swift app`. Change the scripts instead.
        // swift-format-ignore-file

        import ScriptedStore

        struct AppState: Codable, Sendable, Equatable {
          var count: Int
        }

        enum AppAction: ScriptAction {
          case add

          func encoded() throws -> Value {
            switch self {
            case .add: return .action("add")
            }
          }
        }

        typealias AppStore = ScriptStore<AppState, AppAction>

        """)
    #expect(outcome.errors == "")
    #expect(outcome.status == 0)
  }

  @Test func outputWritesIntoWhatIsThereThroughALinkIntoADeviceAPipeALinkedFile() throws {
    let command =
      #""$RUNNER" swift app --root '\#(scripts.path)' --output"#
    func shell(_ text: String) throws -> RunnerProcess.Outcome {
      try RunnerProcess.shell(text, in: scripts.folder)
    }
    try scripts.write("old", to: "real.swift")
    try scripts.write("old", to: "named.swift")
    let outcome = try shell(
      """
      ln -s real.swift link.swift; ln -s /dev/null null.swift; ln -s /dev/full full.swift
      ln -s absent.swift dangling.swift; ln named.swift second.swift; mkfifo pipe.swift
      chmod 640 real.swift; umask 077; exec 3<>pipe.swift
      for file in link null dangling second pipe; do \(command) $file.swift || echo failed $file; done
      for file in link null dangling; do [ -h $file.swift ] || echo replaced $file; done
      [ named.swift -ef second.swift ] || echo replaced second
      head -n 1 <&3
      ls -l real.swift | cut -c 1-10
      """)
    let title = "// Made by `runner swift app`. Change the scripts instead."
    #expect(outcome.output == "\(title)\n-rw-r-----\n" && outcome.errors == "")
    for name in ["real", "absent", "named"] {
      #expect(try scripts.text("\(name).swift").hasPrefix(title), "\(name)")
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: scripts.path)
    #expect(!names.contains { $0.contains(".swift.") })
    let full = try shell("\(command) full.swift")
    #expect(full.status == 74 && full.errors == "error: full.swift: No space left on device\n")
    let unread = try shell("\(command) pipe.swift")
    #expect(unread.status == 74)
    #expect(
      unread.errors
        == "error: pipe.swift: this is a pipe that no program reads; start its reader first\n")
  }

  @Test func checkTakesNoPipeWhoseEndMayNeverCome() throws {
    let outcome = try RunnerProcess.shell(
      #"mkfifo pipe.swift; "$RUNNER" swift app --root '\#(scripts.path)' --check pipe.swift"#,
      in: scripts.folder)
    #expect(outcome.status == 74)
    #expect(
      outcome.errors
        == "error: pipe.swift: this is a pipe; save what it gives in an ordinary file, and name that\n"
    )
  }

  @Test func outputWritesThemCheckComparesAndADriftIsToldWithBothLines() throws {
    #expect(try run("app", "--output", "App.swift").status == 0)
    #expect(try run("app", "--check", "App.swift").status == 0)
    try scripts.write(
      scripts.text("app.lua").replacingOccurrences(of: "count = 0", with: "count = 0.5"),
      to: "app.lua")
    let outcome = try run("app", "--check", "App.swift")
    #expect(
      outcome.errors == """
        App.swift:7: error: here is 'var count: Int', and the scripts say 'var count: Double'; runner \
        swift app --root \(scripts.path) --output App.swift
        app.lua:3: note: which is made of this line

        """)
    #expect(outcome.status == 1)
  }

  @Test func theCommandThatCheckAdvisesHasAllOptionsAndMakesTheFilePass() throws {
    let options = [
      "app", "--name", "Main", "--access", "public", "--dependency", "api", "--dependency", "it's",
    ]
    try scripts.write("", to: "My App.swift")
    func check() throws -> RunnerProcess.Outcome {
      try RunnerProcess.run(
        ["swift"] + options + ["--root", scripts.path, "--check", "My App.swift"],
        in: scripts.folder)
    }
    let message = try check().errors
    let advised =
      #"app --root \#(scripts.path) --name Main --access public --dependency api --dependency 'it'\''s' "#
      + "--output 'My App.swift'"
    #expect(message.contains("; runner swift \(advised)\n"), "\(message)")
    let written = try RunnerProcess.run(
      ["swift"] + options + ["--root", scripts.path, "--output", "My App.swift"],
      in: scripts.folder)
    #expect(written.status == 0)
    #expect(try check().status == 0)
  }

  @Test func nameBeginsTheNamesOfTheTypes() throws {
    #expect(try run("app", "--name", "Main").output.contains("struct MainState:"))
  }

  @Test func anAnnotationThatMeansNothingIsAnErrorAtItsLine() throws {
    let outcome = try run("typo")
    #expect(
      outcome.errors
        == "typo.lua:2: error: there is no type 'Ap'; declare it with ---@class or ---@alias, or write "
        + "any\n")
    #expect(outcome.status == 66)
  }

  @Test func scriptsThatAreMissingOrDoNotLoad() throws {
    #expect(try run("nowhere").status == 66)
    let outcome = try run("broken")
    #expect(outcome.errors.hasPrefix("error: broken.lua:1: no"))
    #expect(outcome.status == 66)
  }

  @Test func wrongUsageAndFilesThatCannotBeReadOrWritten() throws {
    #expect(try run().status == 64)
    #expect(try run("app", "typo", "--name", "X").status == 64)
    #expect(try run("app", "--output", "a", "--check", "a").status == 64)
    #expect(try run("app", "--output", "nowhere/a.swift").status == 74)
    #expect(try run("app", "--check", "nowhere.swift").status == 74)
  }

  @Test func theHelpNamesTheAnnotations() throws {
    let outcome = try RunnerProcess.run(["swift", "--help"])
    #expect(outcome.output.contains("---@param above a handler"))
    #expect(outcome.status == 0)
  }
}
