/// How many columns a character takes on a terminal.
///
/// By Unicode's East Asian Width (UAX #11): 2 for wide characters and for emoji, 0 for marks that
/// join the character before them, otherwise 1. Ambiguous characters are narrow, as on all but old
/// East Asian terminals. A character that consists of several scalars is as wide as its widest one.
package enum CharacterWidth {
  package static func of(_ text: String) -> Int { text.reduce(0) { $0 + of($1) } }

  package static func of(_ character: Character) -> Int {
    let scalars = character.unicodeScalars
    guard let first = scalars.first else { return 0 }
    if scalars.index(after: scalars.startIndex) == scalars.endIndex { return of(first) }
    var width = 0
    for scalar in scalars {
      // U+FE0F asks for the picture of the character before it.
      if scalar.value == 0xFE0F, first.properties.isEmoji { return 2 }
      if isRegionalIndicator(scalar) { width += 1 } else { width = max(width, of(scalar)) }
    }
    return min(width, 2)
  }

  static func of(_ scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    if value < 0x300 { return value == 0xAD ? 0 : 1 }
    if isRegionalIndicator(scalar) { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    // Vowels and final consonants of Hangul, which join the consonant before them.
    if 0x1160...0x11FF ~= value || 0xD7B0...0xD7FF ~= value { return 0 }
    return isWide(value) || scalar.properties.isEmojiPresentation ? 2 : 1
  }

  private static func isRegionalIndicator(_ scalar: Unicode.Scalar) -> Bool {
    0x1F1E6...0x1F1FF ~= scalar.value
  }

  /// Whether the scalar is wide (W) or full-width (F), for those that are not shown as emoji. The
  /// ranges hold unassigned scalars, too, which Unicode has reserved for wide ones.
  private static func isWide(_ value: UInt32) -> Bool {
    switch value {
    // Hangul.
    case 0x1100...0x115F, 0xA960...0xA97F, 0xAC00...0xD7A3: true
    // Angle brackets; radicals, kana, bopomofo, enclosed letters, ideographs, Yi.
    case 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x3247, 0x3250...0x4DBF, 0x4E00...0xA4CF: true
    // Compatibility ideographs; vertical, small and full-width forms.
    case 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6: true
    // Tangut, Khitan; more kana, Nushu.
    case 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF: true
    // Enclosed ideographs.
    case 0x1F200...0x1F202, 0x1F210...0x1F23B, 0x1F240...0x1F248, 0x1F250...0x1F265: true
    // The planes of ideographs.
    case 0x20000...0x2FFFD, 0x30000...0x3FFFD: true
    default: false
    }
  }
}
