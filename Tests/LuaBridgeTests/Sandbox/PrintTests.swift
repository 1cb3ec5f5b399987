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
}
