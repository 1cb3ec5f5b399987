import RunnerShared
import Testing

@testable import RunnerCommands

/// Markdown on the terminal.
struct MarkdownTests {
  func text(_ markdown: String, width: Int = 40, colours: Bool = false) -> String {
    MarkdownText(style: TextStyle(takesColor: colours), width: width)
      .text(of: MarkdownBlock.blocks(of: markdown)).text
  }

  @Test func headingsHaveRules() {
    #expect(text("# A\n## Bee\n### `c`\n") == "A\n═\n\nBee\n───\n\n`c`\n")
  }

  @Test func paragraphsWrap() {
    #expect(text("one two\nthree\n\nfour", width: 9) == "one two\nthree\n\nfour\n")
    #expect(text("a longerthanthewidth b", width: 6) == "a\nlongerthanthewidth\nb\n")
  }

  @Test func styles() {
    #expect(
      text("**a** *b* `c d` 2 * 3 [e](f.md) [g](https://h.org)")
        == "a b `c d` 2 * 3 e g (https://h.org)\n")
    #expect(text("**a** `b`", colours: true) == "\u{1B}[1ma\u{1B}[0m \u{1B}[36mb\u{1B}[0m\n")
    #expect(text("[`a`](b.md), `x[1](y)`") == "`a`, `x[1](y)`\n")
  }

  @Test func listsHang() {
    #expect(
      text("- one two three four five\n  six\n- seven\n  1. eight\n", width: 24)
        == "• one two three four\n  five six\n• seven\n  1. eight\n")
  }

  @Test func codeStaysAsItIs() {
    #expect(
      text("a\n\n```lua\nx  =  1 -- | # *\n\n  y\n```\nb")
        == "a\n\n    x  =  1 -- | # *\n\n      y\n\nb\n")
    #expect(
      text("a:\n\n    runner new\n\n    # c\nb\n") == "a:\n\n    runner new\n\n    # c\n\nb\n")
    #expect(text("```\nnever closed") == "    never closed\n")
  }

  @Test func tablesHaveColumns() {
    #expect(
      text("| a | b |\n| --- | --- |\n| `x\\|y` | z |\n| long cell | w |\n")
        == "a          b\n─────────  ─\n`x|y`      z\nlong cell  w\n")
  }

  @Test func wideTablesWrapTheirWidestCells() {
    #expect(
      text("| a | b |\n|---|---|\n| c | one two three four |", width: 16)
        == "a  b\n─  ─────────────\nc  one two three\n   four\n")
  }

  @Test func escapesControlCharacters() { #expect(!text("a\u{1B}[31mb").contains("\u{1B}")) }
}
