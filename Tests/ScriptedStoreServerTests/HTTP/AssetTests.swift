#if Server
import Foundation
import ScriptedStore
import Testing

@testable import ScriptedStoreServer

/// The pictures of the author.
struct AssetTests {
  /// A folder `assets` with files, beside a secret.
  private final class Folder {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("assets-\(UUID().uuidString)")
    var assets: URL { path.appendingPathComponent("assets") }

    init() throws {
      let manager = FileManager.default
      try manager.createDirectory(
        at: assets.appendingPathComponent("people/.hidden"), withIntermediateDirectories: true)
      for (file, text) in [
        "logo.png": "PNG", "Photo.JPG": "JPG", "a b.svg": "<svg/>", "people/blob.webp": "WEBP",
        ".secret.png": "dot", "people/.hidden/in.png": "dot", "notes.txt": "text", "page.js": "no",
      ] {
        try Data(text.utf8).write(to: assets.appendingPathComponent(file))
      }
      try Data("outside".utf8).write(to: path.appendingPathComponent("outside.png"))
      try Data("outside".utf8).write(to: path.appendingPathComponent("secret.txt"))
      for (link, target) in [
        "link.png": "../outside.png", "inside.png": "logo.png", "text.png": "../secret.txt",
        "up": "..",
      ] {
        try manager.createSymbolicLink(
          atPath: assets.appendingPathComponent(link).path, withDestinationPath: target)
      }
    }

    deinit { try? FileManager.default.removeItem(at: path) }
  }

  private func serving(_ body: (Browser, Folder) async throws -> Void) async throws {
    let folder = try Folder()
    try await TestServer.running(Scripts.counter, .with { $0.assets = folder.assets.path }) {
      (_, browser) async throws in
      try await body(browser, folder)
    }
  }

  @Test(arguments: [
    ("/logo.png", "image/png", "PNG"), ("/Photo.JPG", "image/jpeg", "JPG"),
    ("/people/blob.webp", "image/webp", "WEBP"), ("/a%20b.svg", "image/svg+xml", "<svg/>"),
    ("/logo.png?1", "image/png", "PNG"), ("/%6Cogo.png", "image/png", "PNG"),
  ])
  func aPictureIsServedWithItsType(_ path: String, type: String, text: String) async throws {
    try await serving { (browser, _) async throws in
      let answer = try browser.request(path)
      #expect(answer.status == 200)
      #expect(answer.headers["content-type"] == type)
      #expect(answer.headers["x-content-type-options"] == "nosniff")
      #expect(answer.text == text)
    }
  }

  @Test(arguments: [
    "/../outside.png", "/people/../../outside.png", "/people/../logo.png", "/..%2Foutside.png",
    "/%2e%2e/outside.png", "/%2E%2E%2Foutside.png", "/..%5Coutside.png", "/people%2Fblob.webp",
    "/people//blob.webp", "//logo.png", "/./logo.png", "/link.png", "/inside.png", "/text.png",
    "/up/outside.png", "/.secret.png", "/%2esecret.png", "/people/.hidden/in.png", "/people/",
    "/people", "/notes.txt", "/logo.png/", "/logo.png%00.png", "/logo.png%0A", "/%ff.png",
    "/logo.pn%", "/none.png", "/none/logo.png", "/logo.png/logo.png", "/..png",
  ])
  func thereIsNothingOutsideOfTheFolderBehindLinksOrDotsOrOfOtherTypes(_ path: String) async throws
  {
    try await serving { (browser, _) async throws in
      let answer = try browser.request(path)
      #expect(answer.status == 404)
      #expect(answer.text == "There is nothing here.\n")
    }
  }

  @Test func theServersOwnFilesComeBeforeThoseOfTheFolder() async throws {
    try await serving { (browser, _) async throws in
      #expect(try browser.request("/page.js").text != "no")
    }
  }

  @Test func withoutTheCookieThereAreNoPicturesAndWithoutAFolderNeither() async throws {
    try await serving { (browser, _) async throws in
      #expect(try Browser(port: browser.port).request("/logo.png").status == 403)
    }
    try await TestServer.running(Scripts.counter) { (_, browser) async throws in
      #expect(try browser.request("/logo.png").status == 404)
    }
  }

  @Test func aBrowserThatHasAPictureDoesNotGetItAgainUntilItHasChanged() async throws {
    try await serving { (browser, folder) async throws in
      let first = try browser.request("/logo.png")
      let tag = try #require(first.headers["etag"])
      #expect(first.headers["cache-control"] == "no-cache")
      let again = try browser.request("/logo.png", ["if-none-match": tag])
      #expect(again.status == 304)
      #expect(again.body.isEmpty)
      try Data("NEW".utf8).write(to: folder.assets.appendingPathComponent("logo.png"))
      let changed = try browser.request("/logo.png", ["if-none-match": tag])
      #expect(changed.status == 200)
      #expect(changed.text == "NEW")
    }
  }

  @Test func aPictureThatIsOpenedAsAPageOfItsOwnRunsNoScripts() async throws {
    try await serving { (browser, _) async throws in
      let policy = try browser.request("/a%20b.svg").headers["content-security-policy"]
      let rules = try #require(policy).split(separator: ";").map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      #expect(rules.contains("sandbox"))
      #expect(rules.contains("default-src 'none'"))
      #expect(!rules.contains { $0.hasPrefix("script-src") })
    }
  }

  @Test func whatIsTooLargeOrNoOrdinaryFileIsNotThere() async throws {
    try await serving { (browser, folder) async throws in
      let large = folder.assets.appendingPathComponent("large.png").path
      try #require(FileManager.default.createFile(atPath: large, contents: nil))
      try #require(truncate(large, off_t(AssetFolder.mostBytes)) == 0)
      #expect(try browser.request("/large.png").status == 200)
      try #require(truncate(large, off_t(AssetFolder.mostBytes) + 1) == 0)
      #expect(try browser.request("/large.png").status == 404)
      try #require(mkfifo(folder.assets.appendingPathComponent("pipe.png").path, 0o600) == 0)
      #expect(try browser.request("/pipe.png").status == 404)
      try FileManager.default.createDirectory(
        at: folder.assets.appendingPathComponent("folder.png"), withIntermediateDirectories: true)
      #expect(try browser.request("/folder.png").status == 404)
    }
  }
}
#endif
