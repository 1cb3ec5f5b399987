import Foundation

/// Runs the blocks of a page from top to bottom, in a folder of the page's own.
final class GuideRun {
  private let page: GuidePage
  private let folder: TemporaryFolder
  private var session: GuideSession?
  /// `page:line: what is wrong`.
  private(set) var problems: [String] = []
  /// What was printed in place of outputs of the page that do not match.
  private var corrections: [(step: GuidePage.Step, printed: String)] = []

  /// - Parameter start: files by name that are there at the beginning.
  init(_ page: GuidePage, startingWith start: [String: String] = [:]) throws {
    self.page = page
    folder = try TemporaryFolder()
    for (name, text) in start { try write(text, to: name) }
  }

  /// The scripts below a folder, by their names from there.
  static func scripts(in folder: URL) throws -> [String: String] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    var scripts: [String: String] = [:]
    for name in names where name.hasPrefix("scripts/") && name.hasSuffix(".lua") {
      scripts[name] = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }
    return scripts
  }

  func scripts() throws -> [String: String] { try Self.scripts(in: folder.folder) }

  func run() throws {
    for block in page.blocks {
      switch block.content {
      case .file(let name): try write(block.text, to: name)
      case .change(let name): try change(name, by: block)
      case .fragment: break
      case .console: for step in block.steps { try run(step) }
      }
    }
    session = nil
    try checkFragments()
  }

  private func tell(_ line: Int, _ problem: String) {
    problems.append("\(page.name):\(line): \(problem)")
  }

  private func write(_ text: String, to name: String) throws {
    let parent = folder.url(name).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
    try folder.write(text, to: name)
  }

  private func change(_ name: String, by block: GuidePage.Block) throws {
    guard let text = try? folder.text(name) else {
      return tell(block.line, "no block above has written '\(name)'")
    }
    guard let changed = block.change(text) else {
      return tell(
        block.line, "the old lines of this change are not in '\(name)', or more than once")
    }
    try folder.write(changed, to: name)
  }

  // MARK: Commands

  /// What comes before a command: the runner is found by its name, and nothing around the test is seen.
  private var setting: String {
    """
    exec 2>&1
    PATH='\(RunnerProcess.executable.deletingLastPathComponent().path)':$PATH
    export XDG_CACHE_HOME="$PWD/.cache" XDG_STATE_HOME="$PWD/.state"
    unset CI

    """
  }

  private static let programs: Set = ["runner", "printf", "echo", "cat", "cp", "rm", "mkdir"]

  private func run(_ step: GuidePage.Step) throws {
    if step.kind == .typed { return try type(step) }
    session = nil
    let program = step.text.prefix { $0 != " " }
    guard Self.programs.contains(String(program)) else {
      return tell(step.line, "'\(program)' is none of the programs that a page may run")
    }
    if step.output.isEmpty, step.text.hasPrefix("runner dev "), !step.text.contains("|") {
      session = try GuideSession(setting + "exec " + step.text, in: folder)
      return
    }
    let outcome = try RunnerProcess.shell(setting + step.text, in: folder.folder)
    compare(step, "$", printed: outcome.output)
  }

  private func compare(_ step: GuidePage.Step, _ prompt: String, printed: String) {
    guard let difference = GuideOutput.difference(shown: step.output, printed: printed) else {
      return
    }
    tell(step.line, "\(prompt) \(step.text)\n\(difference)")
    corrections.append((step, printed))
  }

  /// The text of the page with what was printed.
  func corrected(_ text: String) -> String {
    var lines = text.components(separatedBy: "\n")
    for (step, printed) in corrections.reversed() {
      let first = step.line - 1 + step.text.components(separatedBy: "\n").count
      var output = GuideOutput.trimmed(printed.components(separatedBy: "\n"))
      if step.output.last == "" { output.append("") }
      lines.replaceSubrange(first..<first + step.output.count, with: output)
    }
    return lines.joined(separator: "\n")
  }

  // MARK: Sessions of `runner dev`

  private func type(_ step: GuidePage.Step) throws {
    guard let session else { return tell(step.line, "no `$ runner dev …` is open here") }
    compare(step, "›", printed: session.type(step.text))
    if step.text == ":quit" { self.session = nil }
  }

  // MARK: Fragments

  /// Fragments compile as a function's body, or as fields of a table.
  private func checkFragments() throws {
    let fragments = page.blocks.filter { if case .fragment = $0.content { true } else { false } }
    guard !fragments.isEmpty else { return }
    for (index, block) in fragments.enumerated() {
      try write("return function(...)\n\(block.text)\nend\n", to: "fragments/body\(index).lua")
      try write(
        "return function(...) return {\n\(block.text)\n} end\n", to: "fragments/fields\(index).lua")
    }
    let outcome = try RunnerProcess.run(
      ["check", "--root", "fragments", "--format", "json"], in: folder.folder)
    struct Finding: Decodable {
      var file: String?
      var code: String?
      var message: String?
    }
    let findings = try outcome.lines.map {
      try JSONDecoder().decode(Finding.self, from: Data($0.utf8))
    }
    for (index, block) in fragments.enumerated() {
      let refusals = ["body", "fields"].map { kind in
        findings.first { $0.code == "syntax" && $0.file?.hasSuffix("/\(kind)\(index).lua") == true }
      }
      if let body = refusals[0], refusals[1] != nil {
        tell(block.line, "this Lua does not compile: \(body.message ?? "")")
      }
    }
  }
}
