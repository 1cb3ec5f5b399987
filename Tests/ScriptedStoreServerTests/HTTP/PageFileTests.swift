#if Server
import Foundation
import ScriptedStore
import Testing

@testable import ScriptedStoreServer

/// The files of the page.
struct PageFileTests {
  @Test func compressedThePageAndTheFirstFrameOfAScreenHaveAtMost28KB() async throws {
    let files = PageFiles(isProduction: true, hasStyle: false)
    let all = ["/", "/page.js", "/page.css"].compactMap { files[$0]?.compressed.count }
    #expect(all.count == 3)
    try await TestServer.running(Scripts.counter) { (_, browser) async throws in
      #expect(all.reduce(0, +) + (try browser.open().bytes) <= 28 << 10)
    }
  }

  @Test(arguments: ["page", "later", "dev"])
  func aScriptHasAllFilesOfItsFolderWithoutTheirCommentsAndBlanks(_ name: String) throws {
    let files = PageFiles(isProduction: false, hasStyle: false)
    let script = try text(of: "/\(name).js", in: files)
    let folder = "Sources/ScriptedStoreServer/Page/\(name)"
    for file in try FileManager.default.contentsOfDirectory(atPath: folder) {
      let source = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
      let lines = source.split(separator: "\n").map { $0.drop { $0 == " " } }
      let code = lines.filter { !$0.isEmpty && !$0.hasPrefix("//") }
      // A text with a line break would lose blanks.
      #expect(lines.allSatisfy { $0.count { $0 == "`" }.isMultiple(of: 2) }, "\(file)")
      #expect(script.filter { $0 != "\n" }.contains(code.joined()), "\(file)")
    }
    // A line break may end a statement, unless a mark before it says that it does not.
    #expect(script.contains(")\n") || script.contains("}\n"))
    #expect(!script.contains(/[;{,(]\n/))
  }

  @Test(arguments: ["page", "dev"])
  func aStyleSheetHasAllItsRulesWithoutTheirCommentsAndBlanks(_ name: String) throws {
    let files = PageFiles(isProduction: false, hasStyle: false)
    let style = try text(of: "/\(name).css", in: files)
    let path = "Sources/ScriptedStoreServer/Page/\(name).css"
    let source = try String(contentsOfFile: path, encoding: .utf8)
    let rules = source.replacing(/\/\*[\s\S]*?\*\//, with: "")
    #expect(style.filter { $0 != " " } == rules.filter { !$0.isWhitespace })
    // Blanks between words stay.
    #expect(!style.contains("\n") && !style.contains(/\x20[{};,]|[{};,]\x20/))
    #expect(style.contains(name == "page" ? "1px solid " : ".dev "))
  }

  @Test func theStyleSheetOfAnAuthorIsLinkedBehindThatOfThePage() throws {
    let without = try text(of: "/", in: PageFiles(isProduction: true, hasStyle: false))
    let with = try text(of: "/", in: PageFiles(isProduction: true, hasStyle: true))
    #expect(!without.contains("app.css"))
    #expect(with == without + #"<link rel="stylesheet" href="/app.css">"#)
  }

  private func text(of path: String, in files: PageFiles) throws -> String {
    String(decoding: try #require(files[path]).bytes, as: UTF8.self)
  }

  @Test func whatIsServedInProductionSaysNothingOfTheBar() throws {
    let files = PageFiles(isProduction: true, hasStyle: false)
    #expect(files["/dev.js"] == nil && files["/dev.css"] == nil)
    #expect(!(try text(of: "/", in: files).contains("dev.js")))
    #expect(
      PageFiles(isProduction: false, hasStyle: true).build
        != PageFiles(isProduction: true, hasStyle: true).build)
  }
}
#endif
