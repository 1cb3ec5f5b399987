#if Server
import CZlib
import EmbeddedPage
import Platform
import ScriptedStore

/// A strong entity tag, without the quotes: a hash of the bytes.
func entityTag(_ bytes: some Sequence<UInt8>) -> String { String(stableHash(bytes), radix: 36) }

/// A file of the page: its bytes, the same bytes compressed, and its entity tag.
struct PageFile: Sendable {
  let type: String
  let bytes: [UInt8]
  /// In gzip format.
  let compressed: [UInt8]
  let tag: String

  /// - Parameter type: the subtype of `text`, as `html`.
  init(_ bytes: [UInt8], type: String) {
    self.init(bytes, mediaType: "text/\(type); charset=utf-8")
  }

  init(_ bytes: [UInt8], mediaType: String) {
    type = mediaType
    self.bytes = bytes
    compressed = PageFile.compress(bytes)
    tag = entityTag(bytes)
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
    var page = embedded(page_file("page.html"))
    // The file ends without end tags, so this is a further part of the page.
    if hasStyle { page += #"<link rel="stylesheet" href="/app.css">"#.utf8 }
    var files = [
      "/": PageFile(page, type: "html"),
      "/page.css": PageFile(PageFiles.style("page.css"), type: "css"),
      "/page.js": PageFile(PageFiles.script("page.js"), type: "javascript"),
      "/later.js": PageFile(PageFiles.script("later.js"), type: "javascript"),
    ]
    if !isProduction {
      files["/dev.css"] = PageFile(PageFiles.style("dev.css"), type: "css")
      files["/dev.js"] = PageFile(PageFiles.script("dev.js"), type: "javascript")
    }
    let tags = files.keys.sorted().flatMap { Array((files[$0]?.tag ?? "").utf8) }
    build = entityTag(tags)
    self.files = files
  }

  subscript(path: String) -> PageFile? { files[path] }

  /// A script without its comments, its indentation, and the line breaks after `;`, `{`, `,` and `(`. Compressed, these are a
  /// quarter of the script. No string in the scripts has a line break, so all of these can go.
  private static func script(_ name: String) -> [UInt8] {
    var code: [UInt8] = []
    for line in lines(of: embedded(page_file(name))[...]) where !line.starts(with: "//".utf8) {
      code += line
      if let last = line.last, !";{,(".utf8.contains(last) { code.append(UInt8(ascii: "\n")) }
    }
    return code
  }

  /// A style sheet without its comments, and without the blanks around `{`, `}`, `;` and `,`. Compressed, these are a sixth of
  /// the style sheet. No string in the style sheets has one of these characters.
  private static func style(_ name: String) -> [UInt8] {
    var (rest, rules) = (embedded(page_file(name))[...], [] as [UInt8])
    while let start = rest.firstRange(of: "/*".utf8) {
      rules += rest[..<start.lowerBound]
      rest = rest[start.upperBound...]
      rest = rest.firstRange(of: "*/".utf8).map { rest[$0.upperBound...] } ?? []
    }
    let (blank, marks) = (UInt8(ascii: " "), "{};,".utf8)
    var code: [UInt8] = []
    for byte in lines(of: (rules + rest)[...]).joined(separator: [blank]) {
      if marks.contains(byte), code.last == blank { code.removeLast() }
      if byte == blank, let last = code.last, marks.contains(last) { continue }
      code.append(byte)
    }
    return code
  }

  /// The lines that are not empty, without indentation.
  private static func lines(of file: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    file.split(separator: UInt8(ascii: "\n")).map { $0.drop { $0 == UInt8(ascii: " ") } }
      .filter { !$0.isEmpty }
  }
}
#endif
