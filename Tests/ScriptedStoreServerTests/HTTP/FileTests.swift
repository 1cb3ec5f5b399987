#if Server
import Foundation
import ScriptView
import ScriptedStore
import ScriptedStoreFiles
import Testing

@testable import ScriptedStoreServer

/// The files of people.
struct FileTests {
  private static let script = """
    local scripted = require "scripted"
    local ui = require "scripted.ui"
    return scripted.feature {
      name = "Files", binding = true, state = { isLocked = false, count = 0 },
      on = {
        lock = function(state) state.isLocked = true end,
        counted = function(state) state.count = state.count + 1 end,
        refuse = function(state) error("no") end,
      },
      view = function(state)
        return ui.column {
          ui.file { label = "Picture", bind = "picture", accept = "image/*", maxBytes = 1000, disabled = state.isLocked },
          state.picture and ui.image { file = state.picture, label = "Picture" },
          state.picture and ui.link { "Get", file = state.picture },
          ui.link { "Export", file = "exports/all.csv" },
          ui.file { label = "Refused", onChange = "refuse" },
          ui.button { "Lock", action = "lock" },
          ui.button { "Count " .. state.count, action = "counted" },
        }
      end,
    }
    """

  /// A folder for files, with an export in it and a secret beside the exports.
  private final class Folder: Sendable {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("people-\(UUID().uuidString)").path

    init() throws {
      let manager = FileManager.default
      try manager.createDirectory(atPath: path + "/exports", withIntermediateDirectories: true)
      try Data("a,b".utf8).write(to: URL(fileURLWithPath: path + "/exports/all.csv"))
      try Data("secret".utf8).write(to: URL(fileURLWithPath: path + "/secret.txt"))
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var uploads: [String] {
      (try? FileManager.default.contentsOfDirectory(atPath: path + "/uploads")) ?? []
    }
  }

  /// Has one file, which it gives when `bytes` returns.
  private struct OneFile: FileExchange {
    let limit = 0
    let bytes: @Sendable () async -> [UInt8]

    func keep(_ bytes: [UInt8], named name: String) async throws -> String { "" }
    func contents(of path: String) async throws -> [UInt8] { await bytes() }
    func remove(_ path: String) async throws {}
  }

  /// Calls `body` on a thread of its own: requests block it, and the server needs the threads of tasks to keep files.
  private func serving(
    _ configuration: ViewServer.Configuration? = nil,
    _ body: @escaping @Sendable (TestServer, Browser, Folder) throws -> Void
  ) async throws {
    let folder = try Folder()
    let files = try FileFolder(folder.path)
    try await TestServer.running(Self.script, configuration ?? .with { $0.files = files }) {
      (server, browser) async throws in
      try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
        Thread.detachNewThread {
          done.resume(with: Result { try body(server, browser, folder) })
        }
      }
    }
  }

  /// Sends a file from a page.
  ///
  /// - Parameter fields: those of the request in place of the usual ones; nil for none.
  private func send(
    _ bytes: [UInt8], from page: TestPage, by browser: Browser, at path: String = "[1]",
    _ fields: [String: String?] = [:], _ headers: [String: String?] = [:]
  ) throws -> Response {
    var all: [String: String?] = [
      "page": page.hello["page"].string, "at": "\(page.reader.version)", "path": path,
      "name": "my cat.PNG", "type": "image/png", "size": "\(bytes.count)",
    ]
    for (name, value) in fields { all[name] = value }
    let query = all.compactMap { name, value in value.map { "\(name)=\(percentEncoded($0))" } }
    return try browser.request(
      "/file?" + query.joined(separator: "&"), method: "POST",
      ["origin": "http://\(browser.host)"].merging(headers) { $1 }, body: bytes)
  }

  /// Begins to send a file: the head of the request, with nothing behind it.
  private func begin(
    _ size: Int, from page: TestPage, by browser: Browser
  ) throws -> TestSocket {
    let socket = try TestSocket(port: browser.port)
    let query = "page=\(page.hello["page"].string ?? "")&at=\(page.reader.version)&path=%5B1%5D"
    let head = Browser.lines([
      "host": browser.host, "cookie": browser.cookie, "origin": "http://\(browser.host)",
      "content-length": "\(size)", "connection": "close",
    ])
    try socket.write(
      "POST /file?\(query)&name=cat.png&type=image%2Fpng&size=\(size) HTTP/1.1\r\n\(head)\r\n")
    // Another request on the same event loop: the head has been read when it is answered.
    _ = try browser.request("/favicon.ico")
    return socket
  }

  /// Asks for the export, and does not read the answer.
  private func ask(_ browser: Browser) throws -> TestSocket {
    let page = try browser.open()
    let export = try #require(page.tree["children"][3]["file"].string)
    let socket = try TestSocket(port: browser.port)
    try socket.write(
      "GET \(export) HTTP/1.1\r\n"
        + Browser.lines(["host": browser.host, "cookie": browser.cookie]) + "\r\n")
    // Another request on the same event loop: that for the file has been read when it is answered.
    _ = try browser.request("/favicon.ico")
    return socket
  }

  private func percentEncoded(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
  }

  @Test func aFileIsKeptUnderANewNameEnteredShownAndGiven() async throws {
    try await serving { (server, browser, folder) throws in
      let page = try browser.open()
      let bytes: [UInt8] = [0x89, 0x50, 0, 0xFF]
      #expect(try send(bytes, from: page, by: browser).status == 204)
      try page.waitForFrame()
      let picture = try #require(server.store.state["picture"].object)
      #expect(picture["name"] == "my cat.PNG")
      #expect(picture["type"] == "image/png")
      #expect(picture["size"] == 4)
      let path = try #require(picture["path"]?.string)
      #expect(path.hasPrefix("uploads/") && path.hasSuffix(".png"))
      #expect(folder.uploads.count == 1)
      // The page needs the name alone.
      #expect(page.tree["children"][0]["value"] == "my cat.PNG")

      let address = try #require(page.tree["children"][1]["file"].string)
      let image = try browser.request(address)
      #expect(image.status == 200)
      #expect(image.body == bytes)
      #expect(image.headers["content-type"] == "image/png")
      #expect(image.headers["content-disposition"] == "inline; filename*=UTF-8''my%20cat.PNG")
      #expect(image.headers["content-security-policy"]?.contains("sandbox") == true)
      let export = try #require(page.tree["children"][3]["file"].string)
      let sheet = try browser.request(export)
      #expect(sheet.text == "a,b")
      #expect(sheet.headers["content-disposition"] == "attachment; filename*=UTF-8''all.csv")
      #expect(sheet.headers["content-type"] == "application/octet-stream")
    }
  }

  @Test func whatTheElementDoesNotTakeIsRefusedWithTheReasonAndNotKept() async throws {
    try await serving { (server, browser, folder) throws in
      let page = try browser.open()
      for (bytes, fields, reason) in [
        (1001, [:], "at most 1.0 kB, and 'my cat.PNG' has 1.0 kB"),
        (4, ["type": "text/plain"], "takes image/*, not 'my cat.PNG'"),
        (4, ["path": "[4]"], "one cannot enter a value into the link 'Export'"),
        (4, ["path": "[99]"], "there is nothing at"),
        (4, ["page": "another"], "the screen has changed"),
        (4, ["at": "99999"], "the screen has changed"),
      ] as [(Int, [String: String?], String)] {
        let answer = try send(
          [UInt8](repeating: 1, count: bytes), from: page, by: browser, fields)
        #expect(answer.status == 422)
        #expect(answer.text.contains(reason), "\(answer.text)")
      }
      let failed = try send([1], from: page, by: browser, ["path": "[5]"])
      #expect(failed.text == "That did not work\n")
      try page.perform(.tap, at: [6])
      try page.wait { page.tree["children"][0]["disabled"] == true }
      #expect(try send([1], from: page, by: browser).text.contains("is disabled"))
      #expect(server.store.state["picture"].isNull)
      // That of the handler that raised was kept, and is removed.
      #expect(folder.uploads.isEmpty)
    }
  }

  @Test func aFileIsTakenThoughTheScreenChangesWhileItIsOnItsWay() async throws {
    try await serving { (server, browser, _) throws in
      let page = try browser.open()
      let socket = try begin(4, from: page, by: browser)
      for _ in 1...5 { try page.perform(.tap, at: [7]) }
      try socket.write([1, 2, 3, 4])
      #expect(try Browser.response(socket).status == 204)
      #expect(server.store.state["picture"]["size"] == 4)
    }
  }

  @Test func aFileThatCannotBeEnteredAnyMoreWhenItHasComeIsRemoved() async throws {
    try await serving { (server, browser, folder) throws in
      let page = try browser.open()
      let socket = try begin(4, from: page, by: browser)
      try page.perform(.tap, at: [6])
      try socket.write([1, 2, 3, 4])
      #expect(try Browser.response(socket).text.contains("is disabled"))
      #expect(server.store.state["picture"].isNull)
      #expect(folder.uploads.isEmpty)
    }
  }

  @Test func soManyFilesAreOnTheirWayAndOneThatIsGivenUpMakesRoom() async throws {
    try await serving { (_, browser, _) throws in
      let page = try browser.open()
      var sockets: [TestSocket] = []
      for _ in 1...Hub.mostUploads { sockets.append(try begin(4, from: page, by: browser)) }
      #expect(try send([1], from: page, by: browser).text.contains("takes other files now"))
      sockets.removeLast()
      // The server hears of the end of a connection a moment later.
      var status = 0
      for _ in 1...1000 where status != 204 {
        status = try send([1], from: page, by: browser).status
      }
      #expect(status == 204)
    }
  }

  @Test func aRequestThatIsNoneOrFromElsewhereKeepsNothing() async throws {
    try await serving { (server, browser, folder) throws in
      let page = try browser.open()
      for (fields, headers) in [
        (["size": nil], [:]), (["size": "x"], [:]), (["name": ""], [:]), (["path": "{"], [:]),
        ([:], ["origin": "http://evil.example"]), ([:], ["origin": nil]), ([:], ["cookie": nil]),
        ([:], ["host": "evil.example"]),
      ] as [([String: String?], [String: String?])] {
        let status = try send([1, 2], from: page, by: browser, fields, headers).status
        #expect([403, 405].contains(status), "\(fields) \(headers): \(status)")
      }
      #expect(try send([1, 2], from: page, by: browser, ["size": "3"]).status == 400)
      #expect(try send([1, 2, 3], from: page, by: browser, ["size": "2"]).status == 400)
      #expect(folder.uploads.isEmpty)
      #expect(server.store.state["picture"].isNull)
    }
  }

  @Test func thePageOfAnotherBrowserIsNotSentAFile() async throws {
    try await serving { (server, browser, folder) throws in
      let page = try browser.open()
      let other = try server.browser()
      #expect(try send([1], from: page, by: other).text.contains("the screen has changed"))
      #expect(folder.uploads.isEmpty)
    }
  }

  @Test func anEventCannotEnterAPathOfItsOwn() async throws {
    try await serving { (server, browser, _) throws in
      let page = try browser.open()
      let forged: Value = ["name": "x.png", "type": "image/png", "size": 1, "path": "secret.txt"]
      try page.perform(.enter(forged), at: [1])
      #expect(page.refusals.count == 1)
      #expect(server.store.state["picture"].isNull)
    }
  }

  @Test func aFileHasAnAddressOnlyIfAViewHasShownIt() async throws {
    try await serving { (_, browser, _) throws in
      let page = try browser.open()
      let export = try #require(page.tree["children"][3]["file"].string)
      let key = export.split(separator: "/")[1]
      for address in [
        "/files/\(key)/secret.txt?name=secret.txt", "/files/\(key)/exports%2Fall.csv?name=x.html",
        "/files//exports%2Fall.csv?name=all.csv", "/files/\(key)/exports%2Fall.csv", "/files/",
        "/files/x/secret.txt?name=secret.txt",
      ] {
        #expect(try browser.request(address).status == 404, "\(address)")
      }
      #expect(try browser.request(export, ["cookie": nil]).status == 403)
    }
  }

  @Test func theHostMayTakeLongerToReadAFileThanARequestMayTakeToCome() async throws {
    let (isTooLate, tooLate) = AsyncStream<Void>.makeStream()
    let configuration = ViewServer.Configuration.with {
      $0.times.longestRequest = .seconds(2)
      $0.files = OneFile {
        for await _ in isTooLate {}
        return [1, 2, 3]
      }
    }
    try await serving(configuration) { (_, browser, _) throws in
      let socket = try ask(browser)
      // The time of a connection that begins later is over.
      let idle = try TestSocket(port: browser.port)
      #expect(throws: TestSocket.Failed.self) { try idle.read(1) }
      tooLate.finish()
      #expect(try Browser.response(socket).body == [1, 2, 3])
    }
  }

  @Test func aLargeFileGoesToASlowReaderAsAWhole() async throws {
    // More than the system takes at once.
    let size = 32 << 20
    let configuration = ViewServer.Configuration.with {
      $0.times.longestRequest = .seconds(2)
      $0.files = OneFile { [UInt8](repeating: 1, count: size) }
    }
    try await serving(configuration) { (_, browser, _) throws in
      let socket = try ask(browser)
      _ = try socket.read(upTo: "\r\n\r\n")
      var count = 0
      let end = ContinuousClock.now + .seconds(3)
      while ContinuousClock.now < end {
        count += try socket.read(1 << 17).count
        usleep(20_000)
      }
      #expect(try socket.read(size - count).count == size - count)
    }
  }

  @Test func aServerWithoutFilesSaysSo() async throws {
    try await serving(.with()) { (_, browser, _) throws in
      let page = try browser.open()
      #expect(try send([1], from: page, by: browser).text.contains("this server keeps no files"))
      let export = try #require(page.tree["children"][3]["file"].string)
      #expect(try browser.request(export).status == 404)
    }
  }
}
#endif
