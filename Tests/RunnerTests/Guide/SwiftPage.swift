import Foundation

/// The Swift of a page of documentation, as one file that must compile. `docs/guide/README.md` describes the convention.
///
/// A block is compiled inside of the one before it, so it sees what that one has declared, and may use a name again:
///
/// ```
///   func page() async throws { <block 1> do { <block 2> do { <block 3> } } }
/// ```
struct SwiftPage {
  private struct Block {
    /// The line of the page on which the first line of the text is.
    var line: Int
    var lines: [String]
  }

  let name: String
  /// Those that the page shows, and those that it hides in comments.
  private let blocks: [Block]

  init(name: String, text: String) {
    self.name = name
    var blocks: [Block] = []
    var open: (end: String, block: Block?)?
    for (index, line) in text.components(separatedBy: "\n").enumerated() {
      if let (end, block) = open {
        if line == end {
          if let block { blocks.append(block) }
          open = nil
        } else {
          open?.block?.lines.append(line)
        }
      } else if line == "<!-- swift" {
        open = ("-->", Block(line: index + 2, lines: []))
      } else if line.hasPrefix("```") {
        // With a name behind it, it is another package's file, or other Swift.
        open = ("```", line == "```swift" ? Block(line: index + 2, lines: []) : nil)
      }
    }
    self.blocks = blocks
  }

  var isEmpty: Bool { blocks.isEmpty }

  /// The file. Errors in it name the page and the line there.
  var source: String {
    var (imports, declarations, statements) = ("", "", "func page() async throws {\n")
    for block in blocks {
      let text = block.lines.map { Self.isImport($0) ? "" : $0 }.joined(separator: "\n") + "\n"
      let located = "#sourceLocation(file: \"\(name)\", line: \(block.line))\n\(text)"
      for line in block.lines where Self.isImport(line) { imports += line + "\n" }
      if Self.declares(block.lines) {
        declarations += located
      } else {
        statements += located + "do {\n"
      }
    }
    let count = blocks.count { !Self.declares($0.lines) }
    return imports + declarations + statements + String(repeating: "}", count: count + 1) + "\n"
  }

  private static func isImport(_ line: String) -> Bool {
    line.hasPrefix("import ") || line.hasPrefix("@testable import ")
  }

  /// Whether a block has declarations only, so that it need not be local to a function.
  private static func declares(_ lines: [String]) -> Bool {
    let keywords = ["struct", "class", "enum", "protocol", "actor", "extension", "func"]
    let starts = lines.filter { line in
      guard let first = line.first, !line.hasPrefix("//"), !isImport(line) else { return false }
      return first.isLetter || first == "@"
    }
    return !starts.isEmpty
      && starts.allSatisfy { line in
        let word = line.split(separator: " ").first { $0 != "public" && $0 != "final" }
        return line.hasPrefix("@") || word.map { keywords.contains(String($0)) } ?? false
      }
  }
}

/// The compiler, with the modules that were built for the tests.
enum SwiftCompiler {
  /// Checks a file, and returns what the compiler says of its errors.
  static func errors(in source: String) throws -> String {
    let folder = try TemporaryFolder()
    try folder.write(source, to: "page.swift")
    // The compiler has to find the modules in C that those in Swift use.
    let outcome = try RunnerProcess.shell(
      """
      products=$(dirname "$RUNNER")
      swiftc -typecheck -swift-version 6 -suppress-warnings -I "$products/Modules" \
        -I Sources/CLua/System -I Sources/CZlib \
        $(pkg-config --cflags lua5.4 | sed 's/-I/-Xcc -I/g') \
        $(find "$products/" -maxdepth 2 -name module.modulemap ! -path '*-tool.build/*' | sed 's/^/-Xcc -fmodule-map-file=/') \
        $(find "$products/../../checkouts" -path '*/Sources/*' -name module.modulemap \
          | sed 's/^/-Xcc -fmodule-map-file=/') \
        '\(folder.url("page.swift").path)'
      """)
    return outcome.status == 0 ? "" : outcome.output + outcome.errors
  }
}
