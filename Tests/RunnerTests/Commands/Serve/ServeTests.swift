#if Server
import Foundation
import Platform
import ScriptedStore
import Testing

@testable import ScriptedStoreServer

/// runner serve.
struct ServeTests {
  let scripts: TemporaryFolder

  static let counter = """
    local scripted = require "scripted"
    local ui = require "scripted.ui"
    return scripted.feature {
      name = "Counter", state = { count = 0 },
      on = { increment = function(state) state.count = state.count + 1 end },
      view = function(state)
        return ui.column { ui.text("Count: " .. state.count), ui.button { "Increment", action = "increment" } }
      end,
    }
    """

  init() throws { scripts = try TemporaryFolder(["counter.lua": ServeTests.counter]) }

  /// A server that runs, and a browser that has entered.
  func serving(_ arguments: String...) throws -> (server: Conversation, browser: Browser) {
    let server = try Conversation(
      ["serve", "counter", "--root", scripts.path, "--port", "0"] + arguments,
      environment: ["XDG_STATE_HOME": scripts.path])
    return (server, try ServeTests.browser(server))
  }

  static func browser(_ server: Conversation) throws -> Browser {
    let line = server.hear()
    let address = try #require(line.split(separator: " ").last.map(String.init))
    #expect(line == "counter is at \(address)")
    let port = try #require(address.split(separator: ":").last?.split(separator: "/").first)
    var browser = Browser(port: try #require(Int(port)))
    try browser.enter(address)
    return browser
  }

  @Test func aBrowserShowsTheFeatureAndCtrlCEndsTheServer() throws {
    let (server, browser) = try serving()
    let page = try browser.open()
    try page.perform(.tap, at: [2])
    #expect(page.tree["children"][0]["text"] == "Count: 1")
    server.signal(SIGINT)
    #expect(try page.waitForClose() == 1001)
    #expect(server.end().status == 0)
  }

  @Test func aSavedScriptChangesThePageAndItsStateStays() throws {
    let (server, browser) = try serving()
    let page = try browser.open()
    try page.perform(.tap, at: [2])
    try scripts.write(ServeTests.counter.replacing("Count: ", with: "Number: "), to: "counter.lua")
    try page.wait { page.tree["children"][0]["text"] == "Number: 1" }
    // A script that does not load leaves the old one running.
    try scripts.write("return (", to: "counter.lua")
    while !server.hearError().contains("not reloaded") {}
    try page.perform(.tap, at: [2])
    #expect(page.tree["children"][0]["text"] == "Number: 2")
  }

  @Test func withStoreSessionEachBrowserHasAStoreOfItsOwn() throws {
    let (server, browser) = try serving("--store", "session")
    let page = try browser.open()
    try page.perform(.tap, at: [2])
    let stranger = Browser(port: browser.port)
    #expect(try stranger.request("/").status == 403)
    #expect(try browser.open().tree["children"][0]["text"] == "Count: 1")
    withExtendedLifetime(server) {}
  }

  @Test func withProductionThereIsNoBar() throws {
    let (server, browser) = try serving("--production")
    #expect(try browser.request("/dev.js").status == 404)
    #expect(try browser.open().hello["dev"].isNull)
    withExtendedLifetime(server) {}
  }

  @Test func thePicturesOfAFolderAreServed() throws {
    try scripts.makeFolder("pictures")
    try scripts.write("<svg/>", to: "pictures/logo.svg")
    let (server, browser) = try serving("--assets", scripts.url("pictures").path)
    #expect(try browser.request("/logo.svg").text == "<svg/>")
    #expect(try browser.request("/counter.lua").status == 404)
    withExtendedLifetime(server) {}
  }

  @Test func aStyleSheetIsServed() throws {
    try scripts.write("p { color: red }", to: "app.css")
    let (server, browser) = try serving("--css", scripts.url("app.css").path)
    #expect(try browser.request("/app.css").text == "p { color: red }")
    withExtendedLifetime(server) {}
  }

  @Test func aStyleSheetThatIsAPipeOrTooLargeIsRefusedAndOneThatBecomesAPipeIsEmpty() throws {
    // What is measured includes the memory of the process that starts the runner.
    let version = try RunnerProcess.run(["--version"])
    let outcome = try RunnerProcess.shell(
      #"""
      mkfifo pipe.css; truncate -s 1G large.css
      for file in pipe.css large.css; do "$RUNNER" serve counter --root . --port 0 --css $file; echo $?; done
      """#, in: scripts.folder)
    #expect(outcome.output == "66\n66\n")
    #expect(
      outcome.errors == """
        error: --css: pipe.css: this is a pipe; save what it gives in an ordinary file, and name that
        error: --css: large.css: it has more bytes than the 16777216 that are read here at most; is it the right \
        file?

        """)
    #expect(outcome.peakMemory < version.peakMemory + (500 << 20))
    let path = scripts.url("app.css").path
    try scripts.write("p { color: red }", to: "app.css")
    let (server, browser) = try serving("--css", path)
    try FileManager.default.removeItem(atPath: path)
    try #require(mkfifo(path, 0o600) == 0)
    #expect(try browser.request("/app.css").text == "")
    withExtendedLifetime(server) {}
  }

  @Test func aBrowserKnowsTheServerWhenItWasStartedAgainAndNobodyElseCanReadTheToken() throws {
    let (first, browser) = try serving()
    let port = String(browser.port)
    first.signal(SIGTERM)
    #expect(first.end().status == 0)
    func start() throws -> Conversation {
      try Conversation(
        ["serve", "counter", "--root", scripts.path, "--port", port],
        environment: ["XDG_STATE_HOME": scripts.path])
    }
    // The first one had the token of any port.
    var second = try start()
    let known = try ServeTests.browser(second)
    second.signal(SIGTERM)
    #expect(second.end().status == 0)
    second = try start()
    _ = second.hear()
    #expect(try known.request("/").status == 200)
    let folder = scripts.path + "/scripted-store/serve"
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
  }

  // MARK: What goes wrong

  @Test func aPortThatIsTakenIsToldWithWhatToDo() throws {
    let (server, browser) = try serving()
    let outcome = try RunnerProcess.run(
      ["serve", "counter", "--root", scripts.path, "--port", String(browser.port)],
      environment: ["XDG_STATE_HOME": scripts.path])
    #expect(outcome.status == 74)
    #expect(
      outcome.errors.hasPrefix("error: port \(browser.port) is taken by another program; --port "))
    #expect(outcome.errors.contains("--port 0 any that is free"))
    withExtendedLifetime(server) {}
  }

  @Test func aScriptThatDoesNotLoadAtTheStartIsWaitedFor() throws {
    try scripts.write("return (", to: "counter.lua")
    let server = try Conversation(
      ["serve", "counter", "--root", scripts.path, "--port", "0"],
      environment: ["XDG_STATE_HOME": scripts.path])
    while !server.hearError().contains("the server starts when a saved change loads") {}
    try scripts.write(ServeTests.counter, to: "counter.lua")
    let page = try ServeTests.browser(server).open()
    #expect(page.tree["children"][0]["text"] == "Count: 0")
  }

  @Test(arguments: [
    (["nothing"], 66, "nothing"),
    (["counter", "--texts", #"{"faild": "x"}"#], 64, "'faild' is no text of the page"),
    (["counter", "--texts", "[1]"], 64, "takes an object"),
    (["counter", "--texts", "{"], 64, "--texts: "),
    (["counter", "--css", "no.css"], 66, "no.css"),
    (["counter", "--assets", "none"], 66, "--assets: none: there is no folder of this name"),
    (["counter", "--clock", "virtual"], 64, "time passes by itself"),
    (["counter", "--host", "192.0.2.1"], 74, "192.0.2.1 is no address of this machine"),
    (["plain"], 66, "has no view"),
  ])
  func whatCannotBeServedEndsAtOnce(_ arguments: [String], status: Int32, message: String) throws {
    try scripts.write(
      #"return require("scripted").feature { name = "Plain", state = { count = 0 } }"#,
      to: "plain.lua")
    let outcome = try RunnerProcess.run(
      ["serve"] + arguments + ["--root", scripts.path, "--port", "0"],
      environment: ["XDG_STATE_HOME": scripts.path])
    #expect(outcome.status == status)
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
    #expect(outcome.output == "")
  }
}
#endif
