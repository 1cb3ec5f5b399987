import LuaBridge
import Testing

@Suite struct PrintTests {
  @Test func `print writes to standard error, without addresses`() async throws {
    let result = try await #require(
      processExitsWith: .success,
      observing: [\.standardOutputContent, \.standardErrorContent]
    ) {
      let script = try SandboxScript()
      try script.run("print('to whom', 1, 2.0, nil, {}, null)")
    }
    let printed = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(printed.contains("to whom\t1\t2.0\tnil\ttable: 1\tnull\n"))
    let output = String(decoding: result.standardOutputContent, as: UTF8.self)
    #expect(!output.contains("to whom"))
  }

  @Test func `a value with a type name of its own can stand between long texts`() async throws {
    let result = try await #require(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      let script = try SandboxScript()
      try script.run(
        """
        local named = setmetatable({}, { __name = "money" })
        local long = string.rep("x", 5000)
        print(long, named, long .. long, named, long .. long .. long)
        assert(string.format("%s|%s", named, "y"):find("^money: %d+|y$"))
        assert(not pcall(string.format, "%s %s", named))
        """)
    }
    let long = String(repeating: "x", count: 5000)
    let printed = String(decoding: result.standardErrorContent, as: UTF8.self)
    let words = [long, "money: 1", long + long, "money: 1", long + long + long]
    #expect(printed.contains(words.joined(separator: "\t") + "\n"))
  }
}
