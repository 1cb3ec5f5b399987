/// What to write for the functions of texts that other languages have and Lua has not.
enum TextRemedy {
  private static let remedies: [String: String] = {
    let ways = [
      (["contains", "includes"], "write 'text:find(\"B\", 1, true)'"),
      (["hasPrefix", "startsWith"], "write 'text:sub(1, #start) == start'"),
      (["hasSuffix", "endsWith"], "write 'text:sub(-#ending) == ending'"),
      (["split"], "write 'for part in text:gmatch(\"[^,]+\") do … end'"),
      (["uppercased", "toUpperCase"], "write 'text:upper()'"),
      (["lowercased", "toLowerCase"], "write 'text:lower()'"),
      (["trim", "trimmed", "trimmingCharacters"], "write 'text:match(\"^%s*(.-)%s*$\")'"),
      (["replace", "replacing", "replacingOccurrences"], "write '(text:gsub(\"a\", \"b\"))'"),
      (["count", "length", "size"], "write '#text'"),
      (["isEmpty"], "write 'text == \"\"'"),
    ]
    return Dictionary(
      uniqueKeysWithValues: ways.flatMap { names, remedy in names.map { ($0, remedy) } })
  }()

  /// The remedy for a function of this name; nil if there is none.
  static func remedy(for name: String) -> String? { remedies[name] }
}
