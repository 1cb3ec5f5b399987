import Foundation
import ScriptedStore
import ScriptedStoreFiles
import Testing

struct FileFolderTests {
  @Test func aKeptFileIsReadByScriptsAndRemoved() async throws {
    let sandbox = try Sandbox()
    let folder = try FileFolder(sandbox.inside)
    let path = try await folder.keep(Array("cat".utf8), named: "My cat.PNG")
    #expect(path.hasPrefix("uploads/") && path.hasSuffix(".png"))
    #expect(try await folder.contents(of: path) == Array("cat".utf8))
    #expect(try await Dependency.files(in: folder).call("read", [.string(path), nil]) == "cat")
    #expect(try await folder.keep([], named: "My cat.PNG") != path)
    try await folder.remove(path)
    await #expect(throws: (any Error).self) { try await folder.contents(of: path) }
  }

  @Test(arguments: [
    "", ".", "..", "../../x", "a.b/c", "a.\u{0}", "a.sh;rm", "a.veryverylong", "a.é",
  ])
  func aNameLeadsNowhere(_ name: String) async throws {
    let sandbox = try Sandbox()
    let path = try await FileFolder(sandbox.inside).keep([1], named: name)
    #expect(
      path.dropFirst("uploads/".count).allSatisfy {
        $0.isLetter || $0.isNumber || "-_".contains($0)
      })
    #expect(try sandbox.names() == ["uploads"])
  }

  @Test func aFileBeyondTheLimitIsNotKept() async throws {
    let sandbox = try Sandbox()
    let folder = try FileFolder(sandbox.inside, limit: 3)
    #expect(folder.limit == 3)
    await #expect(throws: (any Error).self) { try await folder.keep([1, 2, 3, 4], named: "a") }
    await #expect(throws: (any Error).self) { try await folder.contents(of: "../secret.txt") }
  }
}
