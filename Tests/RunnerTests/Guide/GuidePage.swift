import Foundation

/// A page of documentation whose code blocks run. `docs/guide/README.md` describes the convention.
struct GuidePage {
  /// A fenced block.
  struct Block {
    enum Content {
      /// Lua, or anything else that is written to a file of this name.
      case file(name: String)
      /// Changes of a file that an earlier block has written.
      case change(name: String)
      /// Lua that need only compile.
      case fragment
      /// Commands with what they print.
      case console
    }

    var content: Content
    /// The line of the page on which the first line of the text is.
    var line: Int
    var lines: [String]
  }

  /// A command, or a line that is typed in a session, and what is printed below it.
  struct Step {
    enum Kind {
      case command
      case typed
    }

    var kind: Kind
    var text: String
    var line: Int
    var output: [String]
  }

  let name: String
  let blocks: [Block]

  /// - Parameter prelude: the lines that named Lua blocks without any `require "scripted"` leave out. They follow the
  ///   line that names the file.
  init(name: String, text: String, prelude: [String] = []) {
    self.name = name
    var blocks: [Block] = []
    var open: (info: [Substring], line: Int, lines: [String])?
    for (index, line) in text.components(separatedBy: "\n").enumerated() {
      guard line.hasPrefix("```") else {
        open?.lines.append(line)
        continue
      }
      if let (info, first, lines) = open {
        if let content = Self.content(info: info, lines: lines) {
          var lines = lines
          if case .file = content, info.first == "lua", !lines.contains(where: Self.requires) {
            lines.insert(contentsOf: prelude, at: 1)
          }
          blocks.append(Block(content: content, line: first, lines: lines))
        }
        open = nil
      } else {
        open = (line.dropFirst(3).split(separator: " "), index + 2, [])
      }
    }
    self.blocks = blocks
  }

  private static func requires(_ line: String) -> Bool { line.contains(#"require "scripted"#) }

  /// Nil if nothing runs the block.
  private static func content(info: [Substring], lines: [String]) -> Block.Content? {
    // The test of Swift pages compiles these.
    if info.first == "swift" { return nil }
    if info.count > 1 { return .file(name: String(info[1])) }
    switch info.first {
    case "lua":
      let comment = lines.first?.wholeMatch(of: /-- ([\w\/.-]+\.lua)(:.*)?/)
      return comment.map { .file(name: String($0.1)) } ?? .fragment
    case "diff":
      return lines.first?.wholeMatch(of: /--- (\S+)/).map { .change(name: String($0.1)) }
    case "console": return .console
    case nil where lines.first?.hasPrefix("$ ") == true: return .console
    default: return nil
    }
  }
}

extension GuidePage.Block {
  var text: String { lines.joined(separator: "\n") + "\n" }

  /// The text with the changes of a `diff` block made in it, or nil unless the old lines of each change are there
  /// exactly once. Lines `@@` separate changes.
  func change(_ text: String) -> String? {
    lines.dropFirst().split(separator: "@@").reduce(text) { text, hunk in
      func side(without sign: Character) -> String {
        hunk.filter { $0.first != sign }.map { "\n" + $0.dropFirst() }.joined() + "\n"
      }
      let parts = text.map { ("\n" + $0).components(separatedBy: side(without: "+")) } ?? []
      guard parts.count == 2 else { return nil }
      return String(parts.joined(separator: side(without: "-")).dropFirst())
    }
  }

  /// The steps of a console block. Lines before the first one are told as the output of an empty command.
  var steps: [GuidePage.Step] {
    var steps: [GuidePage.Step] = []
    var isContinued = false
    for (index, line) in lines.enumerated() {
      if isContinued {
        steps[steps.count - 1].text += "\n" + line
      } else if line.hasPrefix("$ ") {
        steps.append(
          .init(
            kind: .command, text: String(line.dropFirst(2)), line: self.line + index, output: []))
      } else if line.hasPrefix("› ") {
        steps.append(
          .init(kind: .typed, text: String(line.dropFirst(2)), line: self.line + index, output: []))
      } else {
        if steps.isEmpty {
          steps.append(.init(kind: .command, text: "", line: self.line, output: []))
        }
        steps[steps.count - 1].output.append(line)
        continue
      }
      isContinued = line.hasSuffix("\\")
    }
    return steps
  }
}

/// What a page shows beside what was printed.
enum GuideOutput {
  /// Durations differ from run to run, blanks at the end of lines and empty lines around the output say nothing.
  static func normalised(_ text: String) -> [String] {
    trimmed(
      text.components(separatedBy: "\n").map { line in
        line.replacing(/\b\d+(\.\d+)? ms\b/, with: "0 ms")
          .replacing(/\b\d+\.\d\d s\b/, with: "0 ms")
      })
  }

  static func trimmed(_ lines: [String]) -> [String] {
    var lines = lines.map { line in String(line.reversed().drop { $0 == " " }.reversed()) }
    while lines.last == "" { lines.removeLast() }
    while lines.first == "" { lines.removeFirst() }
    return lines
  }

  /// Whether the lines are those of the page, where a line `…` stands for any number of lines.
  static func matches(_ actual: ArraySlice<String>, _ shown: ArraySlice<String>) -> Bool {
    guard let first = shown.first else { return actual.isEmpty }
    if first.trimmingCharacters(in: .whitespaces) == "…" {
      return (actual.startIndex...actual.endIndex).contains {
        matches(actual[$0...], shown.dropFirst())
      }
    }
    return actual.first == first && matches(actual.dropFirst(), shown.dropFirst())
  }

  /// Nil if they match, else a text that shows both.
  static func difference(shown: [String], printed: String) -> String? {
    let shown = normalised(shown.joined(separator: "\n"))
    let printed = normalised(printed)
    guard !matches(printed[...], shown[...]) else { return nil }
    let common = zip(shown, printed).prefix { $0 == $1 }.count
    let lines =
      shown.prefix(common).map { "    " + $0 }
      + shown.dropFirst(common).map { "  - " + $0 } + printed.dropFirst(common).map { "  + " + $0 }
    return "the page shows (-), but printed is (+)\n" + lines.joined(separator: "\n")
  }
}
