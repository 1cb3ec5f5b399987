import ScriptedStore
import Testing

struct ReadingTests {
  @Test func aFileIsItsText() async throws {
    let sandbox = try Sandbox()
    try sandbox.put("Grüße\n", at: "a.txt")
    #expect(try await sandbox.call("read", "a.txt", nil) == "Grüße\n")
    #expect(try await sandbox.call("read", "./a.txt", [:]) == "Grüße\n")
    try sandbox.put("", at: "empty")
    #expect(try await sandbox.call("read", "empty", nil) == "")
  }

  @Test func aByteOrderMarkIsNoText() async throws {
    let sandbox = try Sandbox()
    try sandbox.put([0xEF, 0xBB, 0xBF, 0x61], at: "a.txt")
    #expect(try await sandbox.call("read", "a.txt", nil) == "a")
    #expect(try await sandbox.call("read", "a.txt", ["as": "base64"]) == "77u/YQ==")
  }

  @Test func jsonIsDecoded() async throws {
    let sandbox = try Sandbox()
    try sandbox.put(#"{"b":[1,2.0,null],"a":{}}"#, at: "a.json")
    let value = try await sandbox.call("read", "a.json", ["as": "json"])
    #expect(value?.json() == #"{"b":[1,2.0,null],"a":{}}"#)
    try sandbox.put(#"{"b":"#, at: "half.json")
    let failure = await sandbox.failure("read", "half.json", ["as": "json"])
    #expect(failure["code"] == "malformed")
    #expect(failure["message"].string?.hasPrefix("cannot read half.json: 1:6: ") == true)
  }

  @Test func bytesThatAreNoTextComeInBase64() async throws {
    let sandbox = try Sandbox()
    try sandbox.put([0xFF, 0x00, 0x80], at: "image")
    let failure = await sandbox.failure("read", "image", nil)
    #expect(
      failure == [
        "code": "notText", "path": "image",
        "message": "cannot read image: it is not UTF-8; as = \"base64\" gives any bytes",
      ])
    #expect(try await sandbox.call("read", "image", ["as": "base64"]) == "/wCA")
  }

  @Test func whatCannotBeReadIsNamedAsTheScriptNamedIt() async throws {
    let sandbox = try Sandbox()
    try sandbox.makeFolder("notes")
    try sandbox.put("text", at: "a.txt")
    #expect(
      await sandbox.failure("read", "notes/./b.txt", nil) == [
        "code": "notFound", "path": "notes/./b.txt",
        "message": "cannot read notes/./b.txt: No such file or directory",
      ])
    #expect(await sandbox.failure("read", "notes", nil)["code"] == "isFolder")
    #expect(await sandbox.failure("read", "nowhere/b.txt", nil)["code"] == "notFound")
    #expect(await sandbox.failure("read", "a.txt/b", nil)["code"] == "notFolder")
    #expect(
      await sandbox.failure("read", "", nil)["message"]
        == "cannot read the folder of files: it is a folder")
    let long = String(repeating: "x", count: 5000)
    #expect(await sandbox.failure("read", .string(long), nil)["code"] == "failed")
  }

  @Test func aFileOverTheLimitIsNotRead() async throws {
    let sandbox = try Sandbox(limit: 4)
    try sandbox.put("1234", at: "fits")
    try sandbox.put("12345", at: "large")
    #expect(try await sandbox.call("read", "fits", nil) == "1234")
    #expect(
      await sandbox.failure("read", "large", nil)["message"]
        == "cannot read large: it has 5 bytes, and the host allows 4")
  }

  @Test func misspeltAndUnknownOptionsAreRefused() async throws {
    let sandbox = try Sandbox()
    try sandbox.put("text", at: "a.txt")
    #expect(
      await sandbox.failure("read", "a.txt", ["sa": "json"])["message"]
        == "'files.read' has no option 'sa'; did you mean 'as'?")
    #expect(
      await sandbox.failure("read", "a.txt", ["as": "xml"])["message"]
        == "bad option 'as' to 'files.read' (\"xml\" is none of \"text\", \"json\", \"base64\")")
    #expect(
      await sandbox.failure("read", "a.txt", "json")["message"]
        == "the options of 'files.read' must be a table of names, got string")
  }

  @Test func aFolderIsListedInTheOrderOfItsNames() async throws {
    let sandbox = try Sandbox()
    #expect(try await sandbox.call("list", nil) == [])
    try sandbox.put("123", at: "b.txt")
    try sandbox.put("", at: "Z")
    try sandbox.makeFolder("a/inner")
    try sandbox.link("link", to: "b.txt")
    let list = try await sandbox.call("list", nil)?.array ?? []
    #expect(list.map { $0["name"] } == ["Z", "a", "b.txt", "link"])
    #expect(list.map { $0["kind"] } == ["file", "folder", "file", "other"])
    #expect(list[2]["size"] == 3)
    #expect(try await sandbox.call("list", "a")?[0]["name"] == "inner")
    #expect(await sandbox.failure("list", "b.txt")["code"] == "notFolder")
    #expect(await sandbox.failure("list", "nowhere")["code"] == "notFound")
  }

  @Test func existsTellsFilesAndFoldersFromNothing() async throws {
    let sandbox = try Sandbox()
    try sandbox.put("", at: "file")
    try sandbox.makeFolder("folder")
    try sandbox.link("link", to: "file")
    for path: Value in ["file", "folder", "", "folder/."] {
      #expect(try await sandbox.call("exists", path) == true)
    }
    for path: Value in ["link", "nothing", "nothing/below", "file/below"] {
      #expect(try await sandbox.call("exists", path) == false)
    }
  }
}
