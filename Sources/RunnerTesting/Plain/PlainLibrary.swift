import LuaBridge
import Platform
import RunnerShared
import ScriptChecks
import ScriptedStore

/// How the tests of a plain Lua library are found and loaded.
struct PlainLibrary: Sendable {
  var lua: PlainLua
  /// The folders and files that have the tests, if the command line names none.
  var paths: [String] = []
  /// Lua patterns for names of test files; without one, names as `ScriptFile` knows them, and as
  /// busted does.
  var patterns: [String] = []
  var excludedPatterns: [String] = []

  /// Returns a function that says whether a file of this name has tests.
  func matcher() throws(ScriptError) -> (String) -> Bool {
    let patterns = try LuaPatterns(patterns)
    let excluded = try LuaPatterns(excludedPatterns)
    return { name in
      guard name.hasSuffix(".lua"), (try? excluded.match(name)) != true else { return false }
      guard !patterns.isEmpty else { return name.contains("_spec") || ScriptFile.isTest(name) }
      return (try? patterns.match(name)) == true
    }
  }
}

extension PlainLibrary {
  /// Merges the options of the command line with those of `.busted`, which count less.
  init(_ options: PlainOptions, _ file: BustedFile, root: String) throws(ScriptError) {
    func list(_ own: [String], _ name: String) throws(ScriptError) -> [String] {
      try own.isEmpty ? file.list(name) ?? [] : own
    }
    let path = try list(options.lpath, "lpath")
    let cpath = try list(options.cpath, "cpath")
    lua = PlainLua(
      path: path.isEmpty ? PlainLua.path(in: root) : path.joined(separator: ";"),
      cpath: cpath.isEmpty ? PlainLua.cpath(in: root) : cpath.joined(separator: ";"),
      helper: options.helper ?? file.text("helper"),
      helperArguments: try list(options.helperArguments, "Xhelper"),
      setsUpLazily: options.lazy || file.flag("lazy") ?? false,
      interpreter: Paths.program(["lua5.4", "lua54", "lua-5.4", "lua"]) ?? "lua")
    // Without another folder the tests are in `spec`, as in busted, if there is one.
    let spec = Paths.join(root, "spec")
    paths = try file.list("ROOT") ?? [Paths.isFolder(spec) ? spec : root]
    patterns = try list(options.pattern, "pattern")
    excludedPatterns = try list(options.excludePattern, "exclude-pattern").filter { !$0.isEmpty }
  }
}

extension TestSelection {
  /// Adds the selection of a `.busted` file, where the command line has none.
  mutating func add(_ file: BustedFile) throws(ScriptError) {
    if filters.isEmpty { filters = try file.list("filter") ?? [] }
    if excludedFilters.isEmpty { excludedFilters = try file.list("filter-out") ?? [] }
    if tags.isEmpty { tags = TestSelectionOptions.set(try file.list("tags") ?? []) }
    if excludedTags.isEmpty {
      excludedTags = TestSelectionOptions.set(try file.list("exclude-tags") ?? [])
    }
  }
}

/// Finds out whether Lua files belong to scripted features: whether one of them requires `scripted`
/// or `scripted.…`.
enum ScriptedUse {
  /// Whether a Lua file in the folder, or below it, requires `scripted`. Hidden folders are passed
  /// over. O(bytes of the files), up to the first one that does.
  static func isFound(in folder: String) -> Bool {
    var seen: Set<String> = []
    var pending = [folder]
    while let path = pending.popLast() {
      guard Paths.isFolder(path) else {
        if path.hasSuffix(".lua"), let text = try? WholeFile.read(path), isFound(in: text) {
          return true
        }
        continue
      }
      guard let real = Paths.real(path), seen.insert(real).inserted else { continue }
      pending += ((try? Paths.names(in: real)) ?? []).map { Paths.join(real, $0) }
    }
    return false
  }

  /// Whether a text has `require`, then blanks, parentheses or commas, and then the quoted name of the
  /// module. A comment counts too: it may be code that is switched off for a moment.
  private static func isFound(in text: [UInt8]) -> Bool {
    let text = String(decoding: text, as: UTF8.self)
    // The regular expression takes 34 ns a byte, and few files of a plain library have the word: looking for it takes 1 ns.
    return strstr(text, "scripted") != nil
      && text.contains(/require[\s(,\[]*["'\[]scripted["'.\]]/)
  }
}
