import LuaBridge
import LuaSyntax
import ScriptedStore

/// Finds keys of shared values that cannot be in one host, and sharing that is refused when a store is
/// made. It compares the keys of all scripts, because any of their features may be in one host. Tests
/// are left out: each of them has values of its own.
struct SharedFindings {
  private typealias Declaration = ScriptInspection.SharedDeclaration

  private(set) var findings: [Finding] = []
  private let scripts: [String: ScriptFile]
  private let wanted: Set<String>

  /// - Parameters:
  ///   - answers: those of each script, by its name.
  ///   - wanted: the names of the scripts to report findings for.
  init(_ project: Project, _ answers: [String: ScriptAnswers], wanted: Set<String>) {
    scripts = project.byName
    self.wanted = wanted
    let modules = project.scripts.filter { !project.isTest($0) }.compactMap { answers[$0.name] }
    let declarations = Self.ordered(modules.flatMap(\.sharedDeclarations))
    findConflicts(declarations)
    findSimilarNames(declarations)
    findNested(modules.flatMap(\.nestedSharing))
  }

  /// The code of an error that a script raises for what is found here; nil for all others.
  static func code(ofFailure message: String) -> Finding.Code? {
    if message.contains("is in `state` and in `shared`") { return .sharedCollision }
    guard message.contains("shared") else { return nil }
    if message.contains("have names that differ only by") { return .sharedCollision }
    if message.contains("cannot be shared: it lies inside of") { return .sharedNested }
    let isConflict =
      message.contains("give one of the two keys another name")
      || message.contains("; declare the key once")
    return isConflict ? .sharedConflict : nil
  }

  // MARK: Positions

  /// Splits `keys.lua:4`.
  private static func site(_ origin: String) -> (script: String, line: Int) {
    let colon = origin.lastIndex(of: ":") ?? origin.endIndex
    return (String(origin[..<colon]), Int(origin[colon...].dropFirst()) ?? 1)
  }

  /// In the order of scripts and lines, each once.
  private static func ordered(_ all: [Declaration]) -> [Declaration] {
    // Compares bytes: strings are equal in all their Unicode forms.
    var seen: Set<[UInt8]> = []
    return all.filter { key in
      let facts = [key.kind, key.name, "\(key.version)", key.defaultType ?? "", key.origin]
      return seen.insert(Array(facts.joined(separator: "\n").utf8)).inserted
    }.sorted { site($0.origin) < site($1.origin) }
  }

  /// Adds a finding at the last call of its line that made the key, or else at the line.
  private mutating func add(
    _ code: Finding.Code, at key: Declaration, _ message: String, _ remedy: String
  ) {
    let (name, line) = Self.site(key.origin)
    guard let script = scripts[name], wanted.contains(name) else { return }
    let call = script.analysis?.chunk.calls.last { call in
      [call.position.line, call.detail.line].contains(line)
        && call.arguments(of: .scripted("shared", key.kind))?.first?.string == key.name
    }
    let position = call?.arguments(of: .scripted("shared", key.kind))?.first?.position
    findings.append(Finding(code, in: script, at: position, line: line, message, remedy))
  }

  // MARK: Keys

  private mutating func findConflicts(_ declarations: [Declaration]) {
    for (_, keys) in Dictionary(grouping: declarations, by: { "\($0.kind):\($0.name)" }) {
      report(keys, differingBy: \.version) { key, other in
        (
          "the shared value '\(key.name)' has version \(key.version) here and \(other.version) at "
            + other.origin,
          "declare the key once, in a module that the features require"
        )
      }
      report(keys.filter { $0.defaultType != nil }, differingBy: \.defaultType) { key, other in
        (
          "the default of the shared value '\(key.name)' is \(Self.article(key.defaultType)) here and "
            + "\(Self.article(other.defaultType)) at \(other.origin)",
          "give one of the two keys another name, or declare the key once in a module"
        )
      }
    }
  }

  /// Reports each key that differs from the first one, at the key. If that is in no wanted script, at
  /// the first one.
  private mutating func report(
    _ keys: [Declaration], differingBy trait: KeyPath<Declaration, some Equatable>,
    _ text: (_ key: Declaration, _ other: Declaration) -> (message: String, remedy: String)
  ) {
    guard let first = keys.first else { return }
    for key in keys.dropFirst() where key[keyPath: trait] != first[keyPath: trait] {
      let isWanted = wanted.contains(Self.site(key.origin).script)
      let (here, other) = isWanted ? (key, first) : (first, key)
      let (message, remedy) = text(here, other)
      add(.sharedConflict, at: here, message, remedy)
    }
  }

  private static func article(_ type: String?) -> String {
    type.map { $0 == "null" ? $0 : "a \($0)" } ?? "unknown"
  }

  private mutating func findSimilarNames(_ declarations: [Declaration]) {
    for (_, keys) in Dictionary(grouping: declarations, by: { "\($0.kind):\($0.foldedName)" }) {
      guard let first = keys.first else { continue }
      var reported: Set<[UInt8]> = [Array(first.name.utf8)]
      for key in keys where reported.insert(Array(key.name.utf8)).inserted {
        let isWanted = wanted.contains(Self.site(key.origin).script)
        let (here, other) = isWanted ? (key, first) : (first, key)
        let difference = key.isStored ? "case or Unicode form" : "Unicode form"
        add(
          .sharedCollision, at: here,
          "the name '\(here.name)' differs from '\(other.name)' at \(other.origin) only by \(difference)",
          "give one of the two keys another name")
      }
    }
  }

  // MARK: Fields

  private mutating func findNested(_ all: [FeatureWalk.NestedSharing]) {
    var seen: Set<String> = []
    for nested in all.sorted(by: { $0.path < $1.path })
    where seen.insert("\(nested.origin) \(nested.field)").inserted {
      let (name, line) = Self.site(nested.origin)
      guard let script = scripts[name], wanted.contains(name) else { continue }
      let feature = script.analysis?.features.first { $0.lines.contains(line) }
      let key = feature?.sharedFields.last { $0.key.string == nested.field }?.key
      findings.append(
        Finding(
          .sharedNested, in: script, at: key?.position, line: line,
          "the field '\(nested.path)' cannot be shared: it lies inside of '\(nested.outerPath)', which is shared already",
          "share it next to '\(nested.outerPath)'"))
    }
  }
}

extension ScriptAnalysis.Feature {
  /// The fields of the feature's `shared` that have constant names.
  var sharedFields: [(key: LuaExpression, value: LuaExpression)] {
    (definition?.field("shared")?.tableFields ?? []).compactMap { key, value in
      key.flatMap { $0.string == nil ? nil : ($0, value) }
    }
  }
}
