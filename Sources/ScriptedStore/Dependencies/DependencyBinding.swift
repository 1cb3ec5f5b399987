import LuaBridge

/// What a dependency, or a member of one, is in one VM.
indirect enum DependencyBinding {
  case value(Value)
  /// A function or stream of the host's.
  case host(Dependency)
  /// A function of a script's, or something that can be called like one.
  case script(LuaValue)
  case client([String: DependencyBinding])
  /// A function that has no value in this context: calling it raises. What it is called in messages, if not by its
  /// place in `deps`.
  case unimplemented(String?)
}

// MARK: From Swift

extension DependencyBinding {
  /// - Parameters:
  ///   - name: for messages.
  ///   - lent: what stands for scripts' functions in a dependency that was made of a binding.
  init(
    _ dependency: Dependency, named name: String, lent: [UInt64: DependencyBinding] = [:],
    in scope: DependencyScope
  ) throws(ScriptError) {
    switch dependency.kind {
    case .value(let value): self = .value(value)
    case .function, .asyncFunction, .stream: self = .host(dependency)
    case .client(let members):
      var bindings: [String: DependencyBinding] = [:]
      for (key, member) in members {
        bindings[key] = try DependencyBinding(
          member, named: "\(name).\(key)", lent: lent, in: scope)
      }
      self = .client(bindings)
    case .made(let maker):
      let registry = scope.registry
      try self.init(try maker.make(registry, name), named: name, in: registry.vm)
    case .unimplemented(let name): self = .unimplemented(name)
    case .file(let path):
      self = try scope.making(name, by: try scope.registry.chunk(path))
    case .script(let number):
      guard let binding = lent[number] else {
        throw ScriptError(
          "a script's dependency can be used in the transformation that it was given to, and nowhere else"
        )
      }
      self = binding
    }
  }

  /// The binding as Swift sees it; what only this VM understands is put into `lent`.
  func dependency(lending lent: inout [UInt64: DependencyBinding]) -> Dependency {
    switch self {
    case .value(let value): return Dependency(.value(value))
    case .host(let dependency): return dependency
    case .client(let members):
      return Dependency(.client(members.mapValues { $0.dependency(lending: &lent) }))
    case .script, .unimplemented:
      let number = SerialNumber.next()
      lent[number] = self
      return Dependency(.script(number))
    }
  }
}

// MARK: From Lua

extension DependencyBinding {
  /// What a script gave: a table with functions in it, however deep, is a client, any other one a value.
  init(_ lua: LuaValue, named name: String, in vm: LuaVM) throws(ScriptError) {
    try self.init(lua, named: name, in: vm, depth: 1)
  }

  private init(
    _ lua: LuaValue, named name: String, in vm: LuaVM, depth: Int
  ) throws(ScriptError) {
    switch lua {
    case .function, .object: self = .script(lua)
    case .table(let table):
      self =
        vm.isCallable(table)
        ? .script(lua) : try DependencyBinding(table, named: name, in: vm, depth: depth)
    case .other(let reference):
      if let record = vm.sealedObject(of: reference) as? DependencyRecord {
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
  /// Whether it may leave members of what it overrides as they are.
  var isTable: Bool {
    switch self {
    case .client: true
    case .value(let value): value.object != nil
    default: false
    }
  }

  /// This overridden by `other`: a table replaces only the members that it names.
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

  /// Throws if a client that is to override this has members that this does not have.
  func checkMembers(
    of override: Dependency, as name: String, origin: String
  ) throws(ScriptError) {
    guard let members, case .client(let new) = override.kind else { return }
    for (key, member) in new.sorted(by: { $0.key < $1.key }) {
      guard let old = members[key] else {
        let names = members.keys.sorted()
        let hint =
          Suggestion.nearest(to: key, in: names).map { "; did you mean '\($0)'?" }
          ?? "; it has \(names.joined(separator: ", "))"
        throw ScriptError("\(origin): '\(name)' has no member '\(key)'\(hint)")
      }
      try old.checkMembers(of: member, as: "\(name).\(key)", origin: origin)
    }
  }

  /// Clients in clients are overridden likewise; other values are one.
  private func overridden(asMemberBy other: DependencyBinding) -> DependencyBinding {
    if case .client = self { return overridden(by: other) }
    return other
  }

  /// Of a client, or of a value that could be one.
  private var members: [String: DependencyBinding]? {
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

  /// The same with nothing that can be called.
  var withoutImplementation: DependencyBinding {
    switch self {
    case .value: self
    case .client(let members): .client(members.mapValues(\.withoutImplementation))
    case .host, .script: .unimplemented(nil)
    case .unimplemented: self
    }
  }

  /// The member at a path.
  func member(_ path: ArraySlice<String>) -> DependencyBinding? {
    guard let first = path.first else { return self }
    return members?[first]?.member(path.dropFirst())
  }
}
