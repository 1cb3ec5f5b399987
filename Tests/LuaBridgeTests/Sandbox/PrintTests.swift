import LuaBridge
import Testing

@Suite struct PrintTests {
  @Test func printWritesToStandardErrorWithoutAddresses() async throws {
    let result = try await #require(
      processExitsWith: .success,
      observing: [\.standardOutputContent, \.standardErrorContent]
    ) {
      let script = try SandboxScript()
      try script.run("print('to whom', 1, 2.0, nil, {}, null)")
    }
    let printed = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(printed.contains("to whom\t1\t2.0\tnil\t{}\tnull\n"))
    let output = String(decoding: result.standardOutputContent, as: UTF8.self)
    #expect(!output.contains("to whom"))
  }

  @Test func printShowsAValueOfStateAsLuaTextAndOtherTablesByTheirNumbers() throws {
    let script = try SandboxScript()
    script.lua.collectOutput()
    try script.run(
      """
      print({ 1, { b = 2 } }, { 1, a = 2 }, { f = print }, setmetatable({}, { __name = "money" }))
      print(setmetatable({}, { __tostring = function() return "me" end }))
      local deep = {}
      deep.deep = deep
      print(deep)
      local long = {}
      for i = 1, 3 do long[i] = string.rep("x", 40) end
      print(long)
      """)
    let x = String(repeating: "x", count: 40)
    #expect(
      script.lua.takeOutput() == [
        "{ 1, { b = 2 } }\ttable: 1\ttable: 2\tmoney: 3", "me", "table: 4", "{",
        "  \"\(x)\",", "  \"\(x)\",", "  \"\(x)\",", "}",
      ])
  }

  @Test func aLineEndsAtItsLineFeedAlsoBehindACarriageReturn() throws {
    let script = try SandboxScript()
    script.lua.collectOutput()
    try script.run(#"print("a\r") print("b")"#)
    #expect(script.lua.takeOutput() == ["a\r", "b"])
  }

  /// Surrogates, overlong forms and numbers above U+10FFFF, beside the valid characters next to them.
  @Test func bytesThatAreNotUTF8AreEscapedByPrintAndReplacedInMessages() async throws {
    let result = try await #require(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      let script = try SandboxScript()
      try script.run(
        #"""
        print("\u{D7FF}", "\xED\xA0\x80", "\xED\xBF\xBF", "\u{E000}")
        print("\u{7FF}", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\u{800}", "\xF0\x8F\xBF\xBF", "\u{10000}")
        print("\u{10FFFF}", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF")
        """#)
    }
    let printed = String(decoding: result.standardErrorContent, as: UTF8.self)
    for line in [
      ["\u{D7FF}", #"\237\160\128"#, #"\237\191\191"#, "\u{E000}"],
      [
        "\u{7FF}", #"\192\128"#, #"\193\191"#, #"\224\159\191"#, "\u{800}", #"\240\143\191\191"#,
        "\u{10000}",
      ],
      ["\u{10FFFF}", #"\244\144\128\128"#, #"\245\128\128\128"#, #"\255"#],
    ] {
      #expect(printed.contains(line.joined(separator: "\t") + "\n"))
    }
    let script = try SandboxScript()
    for bytes in [#"\xED\xA0\x80"#, #"\xE0\x9F\xBF"#, #"\xF4\x90\x80\x80"#] {
      let error = try failure { try script.run(#"error("a\#(bytes)z", 0)"#) }
      #expect(Set(error.message.unicodeScalars.dropFirst().dropLast()) == ["\u{FFFD}"], "\(error)")
      #expect(error.message.first == "a" && error.message.last == "z")
    }
  }

  @Test func aValueWithATypeNameOfItsOwnCanStandBetweenLongTexts() async throws {
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
