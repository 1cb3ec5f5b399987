#if Server
import CZlib
import EmbeddedPage
import Platform
import ScriptedStore

/// A file of the page: its bytes, the same bytes compressed, and its entity tag.
struct PageFile: Sendable {
  let type: String
  let bytes: [UInt8]
  /// In gzip format.
  let compressed: [UInt8]
  /// A strong entity tag, without the quotes: a hash of the bytes.
  let tag: String

  init(_ bytes: [UInt8], type: String) {
    self.type = type
    self.bytes = bytes
    compressed = PageFile.compress(bytes)
    tag = String(PageFile.hash(bytes), radix: 36)
  }

  /// FNV-1a, which is the same in every process.
  private static func hash(_ bytes: [UInt8]) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
  }

  private static func compress(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: bytes.count + bytes.count / 1000 + 64) { output, count in
      count = czlib_gzip(bytes, bytes.count, output.baseAddress, output.count)
    }
  }
}

/// The files of the page that never change.
struct PageFiles: Sendable {
  private let files: [String: PageFile]
  /// Names this version of them all.
  let build: String

  /// - Parameters:
  ///   - isProduction: whether the bar for development is left out.
  ///   - hasStyle: whether the author has a style sheet.
  init(isProduction: Bool, hasStyle: Bool) {
    var page = String(decoding: embedded(page_html), as: UTF8.self)
    page = PageFiles.replacing(
      "<!--css-->", with: hasStyle ? #"<link rel="stylesheet" href="/app.css">"# : "", in: page)
    page = PageFiles.replacing(
      "<!--dev-->",
      with: isProduction
        ? "" : #"<link rel="stylesheet" href="/dev.css"><script src="/dev.js" defer></script>"#,
      in: page)
    func file(_ bytes: [UInt8], _ type: String) -> PageFile {
      // While features are written, a browser's tools show the files as they are.
      let bytes = isProduction ? PageFiles.tightened(bytes, type) : bytes
      return PageFile(bytes, type: "text/\(type); charset=utf-8")
    }
    var files = [
      "/": file(Array(page.utf8), "html"), "/page.js": file(embedded(page_js), "javascript"),
      "/page.css": file(embedded(page_css), "css"),
    ]
    if !isProduction {
      files["/dev.js"] = file(embedded(dev_js), "javascript")
      files["/dev.css"] = file(embedded(dev_css), "css")
    }
    build =
      PageFile(
        files.keys.sorted().flatMap { Array((files[$0]?.tag ?? "").utf8) }, type: ""
      ).tag
    self.files = files
  }

  subscript(path: String) -> PageFile? { files[path] }

  // Leaves out what only people read: comments, indentation, and spaces that cost bytes also when they are compressed. No
  // string of the page's files goes over several lines, or means something else without these spaces.

  private static func tightened(_ bytes: [UInt8], _ type: String) -> [UInt8] {
    let text = String(decoding: bytes, as: UTF8.self)
    return Array((type == "css" ? tightened(style: text) : tightened(script: text)).utf8)
  }

  private static func tightened(script: String) -> String {
    let lines = script.split(separator: "\n").map { (line: Substring) -> Substring in
      line[..<(line.firstRange(of: " // ")?.lowerBound ?? line.endIndex)].drop { $0 == " " }
    }
    var text = lines.filter { !$0.isEmpty && !$0.hasPrefix("//") }.joined(separator: "\n")
    for sign in ["=", "==", "!=", "=>", "?", ":", "||", "??"] {
      text = text.replacing(" \(sign) ", with: sign)
    }
    for sign in [",", ";"] { text = text.replacing(sign + " ", with: sign) }
    return text
  }

  private static func tightened(style: String) -> String {
    var text = style
    while let start = text.firstRange(of: "/*"),
      let end = text[start.upperBound...].firstRange(of: "*/")
    { text.removeSubrange(start.lowerBound..<end.upperBound) }
    text = text.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }
      .joined(separator: " ")
    for sign in ["{", "}", ";", ","] {
      text = text.replacing(" " + sign, with: sign).replacing(sign + " ", with: sign)
    }
    return text.replacing(": ", with: ":").replacing(";}", with: "}")
  }

  private static func replacing(_ mark: String, with text: String, in page: String) -> String {
    guard let range = page.firstRange(of: mark) else { return page }
    return page.replacingCharacters(in: range, with: text)
  }
}

extension String {
  fileprivate func replacingCharacters(in range: Range<Index>, with text: String) -> String {
    String(self[..<range.lowerBound]) + text + String(self[range.upperBound...])
  }
}
#endif
