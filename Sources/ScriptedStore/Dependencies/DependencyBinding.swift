import LuaBridge

/// A dependency, or a member of one, as it is in one VM.
indirect enum DependencyBinding {
  case value(Value)
  /// A function or stream of the host.
  case host(Dependency)
  /// A function of a script, or a Lua value that can be called like one.
  case script(LuaValue)
  case client([String: DependencyBinding])
  /// A function that has no value in this context: calling it raises. The string is its name in
  /// messages; nil if that is its path in `deps`.
  case unimplemented(String?)
}

// MARK: From Swift

extension DependencyBinding {
  /// - Parameters:
  ///   - name: the name of the dependency, for messages.
  ///   - opaque: the bindings that ``Dependency/Kind/script(_:)`` stands for, by their numbers.
  init(
    _ dependency: Dependency, named name: String, opaque: [UInt64: DependencyBinding] = [:],
    in scope: DependencyScope
  ) throws(ScriptError) {
    switch dependency.kind {
    case .value(let value): self = .value(value)
    case .function, .asyncFunction, .stream: self = .host(dependency)
    case .client(let members):
      var bindings: [String: DependencyBinding] = [:]
      for (key, member) in members {
        bindings[key] = try DependencyBinding(
          dependency.writes ? member.writing() : member, named: "\(name).\(key)", opaque: opaque,
          in: scope)
      }
      self = .client(bindings)
    case .made(let make):
      let registry = scope.registry
      try self.init(try make(registry, name), named: name, in: registry.vm)
    case .unimplemented(let name): self = .unimplemented(name)
    case .file(let path):
      let made = try scope.evaluate(name, with: try scope.registry.chunk(path))
      self = dependency.writes ? try made.writing(name, in: scope.registry) : made
    case .script(let number):
      guard let binding = opaque[number] else {
        throw ScriptError(
          "a script's dependency can be used in the transformation that it was given to, and nowhere else"
        )
      }
      self = dependency.writes ? try binding.writing(name, in: scope.registry) : binding
    }
  }

  /// The binding of a script's dependency of which the host says that its functions write (``Dependency/writing()``).
  private func writing(
    _ name: String, in registry: DependencyRegistry
  ) throws(ScriptError) -> DependencyBinding {
    switch self {
    case .host(let dependency): return .host(dependency.writing())
    case .script(let value) where registry.vm.canCall(value):
      return .script(try registry.writing(value, as: name))
    case .client(let members):
      var bindings: [String: DependencyBinding] = [:]
      for (key, member) in members {
        bindings[key] = try member.writing("\(name).\(key)", in: registry)
      }
      return .client(bindings)
    case .value, .script, .unimplemented: return self
    }
  }

  /// The binding as a Swift closure sees it. A binding that only this VM can use is stored in
  /// `opaque`, and its number stands for it.
  func dependency(opaque: inout [UInt64: DependencyBinding]) -> Dependency {
    switch self {
    case .value(let value): return Dependency(.value(value))
    case .host(let dependency): return dependency
    case .client(let members):
      return Dependency(.client(members.mapValues { $0.dependency(opaque: &opaque) }))
    case .script, .unimplemented:
      let number = SerialNumber.next()
      opaque[number] = self
      return Dependency(.script(number))
    }
  }
}

// MARK: From Lua

extension DependencyBinding {
  /// The binding of a value from a script. A table with functions in it, at any depth, is a client;
  /// any other table is a value.
  ///
  /// - Parameter depth: 1 for the dependency itself, 2 for its members.
  init(
    _ lua: LuaValue, named name: String, in vm: LuaVM, depth: Int = 1
  ) throws(ScriptError) {
    switch lua {
    case .function, .object: self = .script(lua)
    case .table(let table):
      self =
        vm.isCallable(table)
        ? .script(lua) : try DependencyBinding(table, named: name, in: vm, depth: depth)
    case .other(let reference):
      if let record = vm.sealedObject(of: reference) as? DependencyTable {
        self = try record.binding()
      } else {
        self = .script(lua)
      }
    default:
      guard let value = Value(lua) else {
        throw ScriptError("the dependency '\(name)' cannot be \(lua)")
      }
      self = .value(value)
    }
  }

  private init(
    _ table: LuaTable, named name: String, in vm: LuaVM, depth: Int
  ) throws(ScriptError) {
    guard depth <= 16 else {
      throw ScriptError("the dependency '\(name)' is nested too deeply, or contains itself")
    }
    var members: [String: DependencyBinding] = [:]
    var isValue = true
    for (key, member) in try table.entries() {
      guard case .string(let key) = key else { continue }
      let binding = try DependencyBinding(
        member, named: "\(name).\(key)", in: vm, depth: depth + 1)
      members[key] = binding
      if case .value = binding { continue }
      isValue = false
    }
    self = isValue ? .value(try table.value(named: name)) : .client(members)
  }
}

// MARK: Overrides

extension DependencyBinding {
  /// This binding overridden by `other`. A table replaces only the members that it names.
  func overridden(by other: DependencyBinding) -> DependencyBinding {
    switch (self, other) {
    case (.value(let old), .value(let new)):
      guard var object = old.object, let new = new.object else { return other }
      for (key, value) in new { object[key] = value }
      return .value(.object(object))
    case (.client, _), (_, .client):
      guard let old = members, let new = other.members else { return other }
      return .client(old.merging(new) { $0.overridden(asMemberBy: $1) })
    default: return other
    }
  }

  /// Throws if `override` is a client with members that this client does not have.
  func checkMembers(
    of override: Dependency, as name: String, origin: String
  ) throws(ScriptError) {
    guard let members, case .client(let new) = override.kind else { return }
    for (key, member) in new.sorted(by: { $0.key < $1.key }) {
      guard let old = members[key] else {
        let hint = Suggestion.hint(for: key, in: members.keys.sorted(), otherwise: "it has")
        throw ScriptError("\(origin): '\(name)' has no member '\(key)'\(hint)")
      }
      try old.checkMembers(of: member, as: "\(name).\(key)", origin: origin)
    }
  }

  /// Throws if `override` lacks a member of this client and has one with nearly that name, which
  /// would leave the member as it is. Other new members are allowed.
  func checkSpelling(
    of override: DependencyBinding, as name: String, origin: String
  ) throws(ScriptError) {
    guard case .client(let members) = self, let new = override.members else { return }
    let missing = members.keys.filter { new[$0] == nil }.sorted()
    for (key, member) in new.sorted(by: { $0.key < $1.key }) {
      if let old = members[key] {
        try old.checkSpelling(of: member, as: "\(name).\(key)", origin: origin)
      } else if let nearest = Suggestion.nearest(to: key, in: missing) {
        throw ScriptError(
          "\(origin): '\(name)' has no member '\(key)'; did you mean '\(nearest)'?")
      }
    }
  }

  /// Overrides a member. Clients in clients are merged; any other member is replaced as a whole.
  private func overridden(asMemberBy other: DependencyBinding) -> DependencyBinding {
    if case .client = self { return overridden(by: other) }
    return other
  }

  /// The members of a client, or of a value that is an object; nil for anything else. As an override,
  /// such a binding may leave members of the overridden one as they are.
  var members: [String: DependencyBinding]? {
    switch self {
    case .client(let members): members
    case .value(let value):
      value.object.map { object in
        Dictionary(
          object.map { ($0.key, DependencyBinding.value($0.value)) }, uniquingKeysWith: { $1 })
      }
    default: nil
    }
  }

  /// This binding with all functions unimplemented.
  var withoutImplementation: DependencyBinding {
    switch self {
    case .value, .unimplemented: self
    case .client(let members): .client(members.mapValues(\.withoutImplementation))
    case .host, .script: .unimplemented(nil)
    }
  }

  /// The member at a path; nil if there is none.
  func member(_ path: ArraySlice<String>) -> DependencyBinding? {
    guard let first = path.first else { return self }
    return members?[first]?.member(path.dropFirst())
  }
}

/// A use of a dependency that has no value in tests and that the test has not overridden: a call, or an effect that
/// waits on the clock or reads the date.
struct UnimplementedCall: Error, Sendable, CustomStringConvertible {
  /// The feature and what it did, as `Todos called deps.uuid()`.
  let use: String
  /// The path of the function in `deps`, or the name of the dependency.
  let path: [String]
  /// The source line of the call, as `todos.lua:31`.
  let origin: String?

  /// The message of the error that the call raises. Lua puts the source line in front.
  var message: String { message(at: nil) }

  /// The same message with the source line:
  /// `unimplemented: Todos called deps.uuid() (todos.lua:31). Override it …`.
  var description: String { message(at: origin) }

  private func message(at origin: String?) -> String {
    "unimplemented: \(use)\(origin.map { " (\($0))" } ?? ""). "
      + "Override it in the test: dependencies = { \(override) }"
  }

  private static let doubles = [
    "clock": "test.clock()", "date": "test.constantDate(0)", "random": "test.seededRandom(0)",
    "uuid": "test.incrementingUUID()",
  ]

  /// The override that the test needs.
  private var override: String {
    guard let first = path.first, let last = path.last else { return "" }
    if let double = Self.doubles[first] { return "\(first) = \(double)" }
    return path.dropLast().reversed().reduce("\(last) = function(…) … end") { "\($1) = { \($0) }" }
  }
}
