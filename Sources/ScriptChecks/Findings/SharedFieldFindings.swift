import LuaSyntax
import ScriptedStore

/// Mistakes in the fields of `shared`.
extension ScriptFindings {
  mutating func findFieldsInStateAndShared() {
    guard role != .test else { return }
    for feature in analysis.features {
      let state = feature.definition?.field("state")?.tableLiteral
      for (key, _) in feature.sharedFields {
        guard let name = key.string, state?.field(name) != nil else { continue }
        add(
          .sharedCollision, at: key.position, "the field '\(name)' is in `state` and in `shared`",
          "leave it out of `state`, as the key has a default")
      }
    }
  }

  /// Fields of `shared` that no handler and no operator of the feature uses. The host may show such a
  /// field, so that a comment that names it is enough to keep it.
  ///
  /// Nothing is said about a feature whose state is given to code that the analysis does not follow.
  mutating func findUnusedShared(_ project: Project) {
    guard role != .test, analysis.features.contains(where: { !$0.sharedFields.isEmpty }) else {
      return
    }
    let unknown = analysis.featuresWithUnknownUses
    let users = project.users(of: script)
    guard !([script] + users).contains(where: \.combines) else { return }
    for (number, feature) in analysis.features.enumerated() where !unknown.contains(number) {
      for (key, value) in feature.sharedFields {
        guard let name = key.string, !value.isStatus, !analysis.commentWords.contains(name),
          !analysis.uses(name),
          !project.mentioning(name).contains(where: { isUsed(name, in: $0, users, project) })
        else { continue }
        add(
          .unusedShared, at: key.position,
          "\(feature.title) shares '\(name)', which nothing in it uses",
          "leave it out of `shared`; if the host shows it, name it in a comment: -- \(name): shown by the host"
        )
      }
    }
  }

  /// Whether another script may use a field of a feature in this one.
  private func isUsed(
    _ name: String, in other: ScriptFile, _ users: [ScriptFile], _ project: Project
  ) -> Bool {
    if other.name == script.name { return false }
    if project.isTest(other), !users.contains(where: { $0.name == other.name }) { return false }
    // A script that cannot be parsed has the name as a word.
    return other.analysis?.usesFromOutside(name) ?? true
  }
}

extension LuaExpression {
  /// Whether the expression is the status of a key, which tells the library that the feature shows it.
  fileprivate var isStatus: Bool {
    if case .method(_, "status", _) = resolved.kind { true } else { false }
  }

  /// The name of the key that a call makes: `count` of `scripted.shared.inMemory("count", 0)`.
  fileprivate var madeKeyName: String? {
    guard case .call(let callee, let arguments) = kind, let reference = LuaReference(callee) else {
      return nil
    }
    switch reference {
    case .global("require"), .scripted("shared", "inMemory"), .scripted("shared", "fileStorage"),
      .scripted("shared", "appStorage"), .scripted("shared", "database"):
      return arguments.first?.string
    default: return nil
    }
  }
}

extension ScriptFile {
  /// Whether the script runs several reducers on one state.
  fileprivate var combines: Bool {
    analysis?.chunk.calls.contains { $0.arguments(of: .scripted("combine")) != nil } == true
  }
}

extension ScriptAnalysis {
  /// Whether the script that makes a feature uses a field of this name, of whatever table.
  fileprivate func uses(_ name: String) -> Bool {
    var declaring = features.compactMap { $0.definition?.field("shared")?.tableLiteral }
    for index in indexes(of: name) {
      guard let table = index.fieldPath?.base, case .table = table.kind else { return true }
      declaring.append(table)
    }
    let declared = Set(
      declaring.flatMap { $0.tableFields ?? [] }.compactMap(\.key).map(ObjectIdentifier.init))
    let isKey = chunk.keys.contains {
      $0.string == name && !declared.contains(ObjectIdentifier($0))
    }
    return isKey || mentions(of: name, besides: []) > 0
  }

  /// Whether another script may use a field of this name in a feature that it does not make: not as a
  /// field of its own features' states.
  fileprivate func usesFromOutside(_ name: String) -> Bool {
    let isIndexed = indexes(of: name).contains { index in
      if case .table? = index.fieldPath?.base.kind { return false }
      guard let use = stateUse(index), use.path == [name] else { return true }
      return use.features.contains { features[$0].definition == nil }
    }
    let own = attachments.filter { $0.path.first == name && !$0.path.dropFirst().contains(name) }
    return isIndexed || mentions(of: name, besides: own.compactMap(\.key.string)) > 0
  }

  /// The reads and writes of fields with this name, without those of modules.
  private func indexes(of name: String) -> [LuaExpression] {
    chunk.indexes.filter { index in
      guard case .index(_, let key) = index.kind, key.string == name else { return false }
      if case .module? = LuaReference(index)?.root { return false }
      return true
    }
  }

  /// How many texts of the script have a word, without names of keys and modules.
  private func mentions(of word: String, besides others: [String]) -> Int {
    let has = { (text: String) in ScriptAnalysis.words(of: text).contains(word) }
    let names = chunk.calls.compactMap(\.madeKeyName) + others
    return chunk.strings.count(where: has) - names.count(where: has)
  }

  /// The features whose state is given to functions that are not in this script.
  fileprivate var featuresWithUnknownUses: FeatureSet {
    var unknown: FeatureSet = []
    let add = { (expression: LuaExpression) in
      if case .state(let features)? = roles.role(expression) { unknown.formUnion(features) }
    }
    for call in chunk.calls {
      switch call.kind {
      case .call(let callee, let arguments):
        let isFollowed = callee.functionLiteral != nil
        for argument in arguments {
          if !isFollowed { add(argument) }
          for (_, value) in argument.tableFields ?? [] { add(value) }
        }
      case .method(let receiver, let name, let arguments):
        for argument in arguments { add(argument) }
        if let feature = feature(receiver), !Self.isFollowed(name, arguments) {
          unknown.insert(feature)
        }
      default: break
      }
    }
    for index in chunk.indexes {
      if case .index(let base, let key) = index.kind, key.string == nil { add(base) }
    }
    for assignment in chunk.assignments { add(assignment.value) }
    for value in chunk.returns.flatMap(\.values) { add(value) }
    for (number, feature) in features.enumerated() where !feature.hasFollowedHandlers {
      unknown.insert(number)
    }
    return unknown
  }

  /// Whether the functions that an operator is given are in this script. A child gets no state of its
  /// parent.
  private static func isFollowed(_ name: String, _ arguments: [LuaExpression]) -> Bool {
    let isLiteral = { (argument: LuaExpression) in
      argument.string != nil || argument.functionLiteral != nil
        || argument.tableFields?.allSatisfy { $0.value.functionLiteral != nil } == true
    }
    if ReducerKind(rawValue: name)?.childPresence != nil {
      return arguments.first.map(isLiteral) ?? true
    }
    return arguments.allSatisfy(isLiteral)
  }
}

extension ScriptAnalysis.Feature {
  /// Whether all functions that get the feature's state are in the script, and no action may write
  /// fields of any name.
  fileprivate var hasFollowedHandlers: Bool {
    guard let definition, definition.field("binding") == nil else { return false }
    let on = definition.field("on")
    let handlers = on.map { $0.tableFields?.map(\.value) } ?? []
    guard let handlers else { return false }
    let functions = handlers + ["reduce", "migrate", "view"].compactMap(definition.field)
    return functions.allSatisfy { $0.functionLiteral != nil }
  }
}
