import LuaBridge

/// `deps`, or a client in it, as a sealed record. A field is resolved when a script first reads it.
///
/// Lua retains this object, so it retains nothing that retains the VM.
final class DependencyTable {
  private let scope: ScopeLink
  private let feature: String
  /// The names that may be read; nil for all.
  private let declared: Set<String>?
  /// The path of the client; empty for `deps`.
  private let path: [String]
  /// Whether the calls may be recorded: true for the `deps` of features. A dependency that a script
  /// makes has its own `deps`, whose calls are a part of the feature's call and not recorded.
  private let isRecorded: Bool

  /// - Parameters:
  ///   - feature: the name of the reader, for messages.
  ///   - declared: the names that may be read; nil for all.
  init(
    scope: DependencyScope, feature: String, declared: [String]? = nil, path: [String] = [],
    isRecorded: Bool = true
  ) {
    self.scope = scope.link
    self.feature = feature
    self.isRecorded = isRecorded
    self.declared = declared.map { DependencyRegistry.implicitNames.union($0) }
    self.path = path
  }

  private var name: String { (["deps"] + path).joined(separator: ".") }

  private func liveScope() throws(ScriptError) -> DependencyScope {
    if let scope = scope.scope { return scope }
    throw ScriptError("\(name) is used after its store was gone")
  }

  /// Makes the userdata that scripts get.
  func make() throws(ScriptError) -> LuaReference {
    try liveScope().registry.vm.makeSealedRecord(name, object: self) { [self] fields, key in
      guard case .string(let key) = key else {
        throw ScriptError("\(name) has names, no \(key.typeName)")
      }
      let (value, isRecorded) = try read(key)
      // Each action may read it.
      if isRecorded { return value }
      // A table belongs to its reader, so it is not cached.
      if case .value(let value) = value, !value.isNull { return .value(value) }
      try fields.set(.string(key), to: value)
      return value
    }
  }

  /// The binding that this record stands for. Throws for `deps` itself.
  func binding() throws(ScriptError) -> DependencyBinding {
    guard let first = path.first,
      let binding = try liveScope().binding(of: first).member(path.dropFirst())
    else { throw ScriptError("'\(name)' itself cannot be a dependency") }
    return binding
  }

  // MARK: Fields

  /// A field, and whether each read of it is to be noticed.
  private func read(_ key: String) throws(ScriptError) -> (LuaValue, isRecorded: Bool) {
    let scope = try liveScope()
    guard path.isEmpty else {
      guard case .client(let members) = try binding(), let member = members[key] else {
        throw unknown(key)
      }
      return try field(key, member, scope)
    }
    guard declared?.contains(key) ?? scope.registry.contains(key) else {
      throw undeclared(key, scope.registry)
    }
    return try field(key, try scope.binding(of: key), scope)
  }

  private func undeclared(_ key: String, _ registry: DependencyRegistry) -> ScriptError {
    guard registry.contains(key) else {
      return ScriptError(
        "\(feature) uses deps.\(key), but there is no such dependency\(registry.hint(for: key))")
    }
    return ScriptError(
      "\(feature) uses deps.\(key) without declaring it; add \"\(key)\" to its dependencies")
  }

  private func unknown(_ key: String) -> ScriptError {
    let names = (try? binding().members?.keys.sorted()) ?? []
    return ScriptError(
      "\(name) has no '\(key)'" + Suggestion.hint(for: key, in: names, otherwise: "it has"))
  }

  /// A field as scripts get it.
  private func field(
    _ key: String, _ binding: DependencyBinding, _ scope: DependencyScope
  ) throws(ScriptError) -> (LuaValue, isRecorded: Bool) {
    if case .client = binding {
      let client = DependencyTable(
        scope: scope, feature: feature, path: path + [key], isRecorded: isRecorded)
      return (.other(try client.make()), false)
    }
    let path = path + [key]
    guard isRecorded, let recorder = scope.recorder else {
      return (try plain(binding, at: path, scope), false)
    }
    if case .value(let value) = binding, !DependencyRegistry.nativeNames.contains(path[0]) {
      let name = path.joined(separator: ".")
      return (LuaValue(recorder.field(name, in: scope.number, value)), true)
    }
    return (try recordedField(binding, at: path, recorder, scope), false)
  }

  /// A function whose calls are recorded; any other value as it is.
  private func recordedField(
    _ binding: DependencyBinding, at path: [String], _ recorder: DependencyRecorder,
    _ scope: DependencyScope
  ) throws(ScriptError) -> LuaValue {
    let name = path.joined(separator: ".")
    switch binding {
    case .host(let dependency) where path[0] != "log":
      return try scope.registry.bind(dependency, at: path, recording: recorder)
    // Of the clock only `now` is recorded: a sleep has no result.
    case .script(let value)
    where scope.registry.vm.canCall(value)
      && (!DependencyRegistry.nativeNames.contains(path[0]) || name == "clock.now"):
      return try scope.registry.recording(
        try plain(binding, at: path, scope), as: name, by: recorder)
    default: return try plain(binding, at: path, scope)
    }
  }

  /// A binding as plain Lua tables that scripts may change, for a script's function that computes a
  /// replacement from it.
  func plain(_ binding: DependencyBinding) throws(ScriptError) -> LuaValue {
    try plain(binding, at: path, try liveScope())
  }

  private func plain(
    _ binding: DependencyBinding, at path: [String], _ scope: DependencyScope
  ) throws(ScriptError) -> LuaValue {
    let registry = scope.registry
    switch binding {
    case .value(let value): return LuaValue(value)
    case .script(let value) where registry.writes(path) && registry.vm.canCall(value):
      return try registry.writing(value, as: path.joined(separator: "."))
    case .script(let value): return value
    case .host(let dependency):
      return try registry.bind(dependency, at: path)
    case .unimplemented(let name): return .function(try unimplemented(path, name, registry))
    case .client(let members):
      let table = try registry.vm.makeTable()
      for (name, member) in members {
        try table.set(.string(name), to: try plain(member, at: path + [name], scope))
      }
      return .table(table)
    }
  }

  private func unimplemented(
    _ path: [String], _ name: String?, _ registry: DependencyRegistry
  ) throws(ScriptError) -> LuaFunction {
    let feature = feature
    let called = name ?? "deps.\(path.joined(separator: "."))"
    return try registry.vm.makeFunction(called) {
      [unowned vm = registry.vm, scheduler = registry.scheduler] _ in
      throw try scheduler.running().report(
        UnimplementedCall(
          use: "\(feature) called \(called)()", path: path, origin: vm.scriptLocation))
    }
  }
}
