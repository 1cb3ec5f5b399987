import Testing

@testable import ScriptView

@Suite("The columns of a character")
struct CharacterWidthTests {
  @Test(
    "Latin, Greek and Cyrillic letters and marks of the drawing are narrow",
    arguments: ["a", "é", "ß", "Ω", "я", "─", "…", "▾", "½", "\u{AB30}"] as [Character])
  func narrow(character: Character) {
    #expect(CharacterWidth.of(character) == 1)
  }

  @Test(
    "East Asian characters and full-width forms are wide",
    arguments: ["牛", "あ", "ア", "한", "、", "　", "Ａ", "￥", "𠀀", "\u{1F202}"] as [Character])
  func wide(character: Character) {
    #expect(CharacterWidth.of(character) == 2)
  }

  @Test(
    "Emoji are wide, however many scalars they have",
    arguments: ["😀", "👩‍👩‍👧", "👍🏽", "🇩🇪", "❤️", "1️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"] as [Character])
  func emoji(character: Character) {
    #expect(CharacterWidth.of(character) == 2)
  }

  @Test(
    "Signs that become emoji only by request are narrow", arguments: ["❤", "©", "1"] as [Character])
  func textPresentation(character: Character) {
    #expect(CharacterWidth.of(character) == 1)
  }

  @Test(
    "Marks that join the character before them take no column",
    arguments: ["\u{301}", "\u{20DD}", "\u{200B}", "\u{200D}", "\u{3099}", "\u{1160}", "\u{AD}"]
      as [Character])
  func zeroWidth(character: Character) {
    #expect(CharacterWidth.of(character) == 0)
  }

  @Test("A character is as wide as its widest scalar")
  func clusters() {
    #expect(CharacterWidth.of("e\u{301}\u{323}") == 1)
    #expect(CharacterWidth.of("か\u{3099}") == 2)
    #expect(CharacterWidth.of("\u{1112}\u{1161}\u{11AB}") == 2)
    #expect(CharacterWidth.of("षि") == 1)
  }
}
