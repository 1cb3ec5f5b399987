import Testing

@testable import ScriptView

/// The columns of a character.
struct CharacterWidthTests {
  @Test(arguments: ["a", "é", "ß", "Ω", "я", "─", "…", "▾", "½", "\u{AB30}"] as [Character])
  func latinGreekAndCyrillicLettersAndMarksOfTheDrawingAreNarrow(character: Character) {
    #expect(CharacterWidth.of(character) == 1)
  }

  @Test(arguments: ["牛", "あ", "ア", "한", "、", "　", "Ａ", "￥", "𠀀", "\u{1F202}"] as [Character])
  func eastAsianCharactersAndFullWidthFormsAreWide(character: Character) {
    #expect(CharacterWidth.of(character) == 2)
  }

  @Test(arguments: ["😀", "👩‍👩‍👧", "👍🏽", "🇩🇪", "❤️", "1️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"] as [Character])
  func emojiAreWideHoweverManyScalarsTheyHave(character: Character) {
    #expect(CharacterWidth.of(character) == 2)
  }

  @Test(arguments: ["❤", "©", "1"] as [Character])
  func signsThatBecomeEmojiOnlyByRequestAreNarrow(character: Character) {
    #expect(CharacterWidth.of(character) == 1)
  }

  @Test(
    arguments: ["\u{301}", "\u{20DD}", "\u{200B}", "\u{200D}", "\u{3099}", "\u{1160}", "\u{AD}"]
      as [Character])
  func marksThatJoinTheCharacterBeforeThemTakeNoColumn(character: Character) {
    #expect(CharacterWidth.of(character) == 0)
  }

  @Test func aCharacterIsAsWideAsItsWidestScalar() {
    #expect(CharacterWidth.of("e\u{301}\u{323}") == 1)
    #expect(CharacterWidth.of("か\u{3099}") == 2)
    #expect(CharacterWidth.of("\u{1112}\u{1161}\u{11AB}") == 2)
    #expect(CharacterWidth.of("षि") == 1)
  }
}
