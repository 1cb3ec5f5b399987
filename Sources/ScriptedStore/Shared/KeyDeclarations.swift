import LuaBridge

/// Which keys stand behind the shared fields of one store. It declares them, and compares them with what others have
/// declared.
final class KeyDeclarations {
  let fields = SharedFields()
  private let values: SharedValues
  /// The drafts of the action that is being reduced; nil between two actions.
  var arena: UnsafeMutablePointer<DraftArena>?
  /// First values of keys that were declared in the middle of an action, by a reducer that is made on
  /// its first use. They are published with that action.
  var lateValues = Value.Object()
  /// The keys of values that belong to this store alone (``SharedKey/Kind/inherited``).
  private var ownKeys: [SharedIdentity] = []
  /// Fields that were declared as inherited and have no field around them to inherit from, with their containers;
  /// empty after ``warnOfPlainFields(in:)``.
  private var inheritingNothing: [(key: SharedKey, container: SharedFields)] = []
  /// The keys that this store was the first to declare; nil once it has begun.
  private var declaredKeys: Set<SharedIdentity>? = []
  /// The keys that fields share and that cannot have each value: stored and custom ones. By the keys of their values.
  private(set) var checkedKeys: [SharedIdentity: SharedKey] = [:]
  /// If there are more of them, those are dropped that the host has forgotten.
  private var mostChecked = 64
  /// The keys that fields share and that a worker has to keep, until it does.
  private var keptKeys: [SharedKey] = []
  /// The warnings about declarations of keys, until ``takeWarnings()``.
  private var warnings: [RuntimeWarning] = []
  /// Warnings about stored values that could not be read, by their keys.
  private var unreadable: [SharedIdentity: RuntimeWarning] = [:]
  /// Why the store is refused: the first error.
  private var failure: ScriptError?
  /// What stands behind the fields, once for each value; nil when it has to be found out again.
  private var knownTargets: [SharedFields.Target]?

  init(_ values: SharedValues) { self.values = values }

  deinit {
    for key in ownKeys { values.remove(key) }
  }

  /// Throws the error of a declaration.
  @inline(__always)
  func check() throws(ScriptError) {
    if let failure { throw failure }
  }

  private func fail(_ error: ScriptError) { failure = failure ?? error }

  /// Refuses the store if its features share fields that cannot be shared.
  func checkFields() {
    if let (outer, inner) = fields.nestedFields {
      fail(
        ScriptError(
          "the field '\(inner)' cannot be shared: it lies inside of '\(outer)', which is shared already; share it next to that field"
        ))
    }
    if let reader = fields.childInReader {
      fail(
        ScriptError(
          "the field '\(reader)' may only be read, so it cannot be the state of a child; share the key without `reader()` or `status()`, and give a custom one a `save`"
        ))
    }
  }

  /// The keys that a worker has to keep, once.
  func takeKeptKeys() -> [SharedKey] {
    defer { keptKeys = [] }
    return keptKeys
  }

  func takeWarnings() -> [RuntimeWarning] {
    // A feature that shares the value's status shows the failure itself.
    for (key, warning) in unreadable where !fields.shows(key.status.text) {
      warnings.append(warning)
    }
    unreadable = [:]
    defer { warnings = [] }
    return warnings
  }

  /// What stands behind the fields, once for each value.
  var targets: [SharedFields.Target] {
    if let knownTargets { return knownTargets }
    var targets: [String: SharedFields.Target] = [:]
    fields.visitAll { _, target in targets[target.value] = target }
    let all = Array(targets.values)
    knownTargets = all
    return all
  }

  /// A field shows another value from now on.
  func didShare() { knownTargets = nil }

  // MARK: Declaring

  /// Makes a field of a feature shared.
  ///
  /// - Parameter container: the container that is the feature's state.
  func share(_ field: SharedField, in container: SharedFields) {
    let key = field.key
    if key.kind == .inherited, let target = inherited(key, from: container.parent) {
      didShare()
      return container.share(field.name, target)
    }
    var identity = key.identity
    if key.kind == .inherited {
      inheritingNothing.append((key, container))
      identity = SharedIdentity(.inherited, key.name, owner: SerialNumber.next())
      ownKeys.append(identity)
    }
    values.uses.begin(key.identity.used)
    do throws(ScriptError) {
      try declare(identity, key)
    } catch {
      fail(error)
    }
    container.share(field.name, target(of: key, identity))
  }

  /// Declares a key that a function has chosen. The caller must already use the key.
  func target(ofChosen key: SharedKey) throws(ScriptError) -> SharedFields.Target {
    try declare(key.identity, key)
    return target(of: key, key.identity)
  }

  private func target(of key: SharedKey, _ identity: SharedIdentity) -> SharedFields.Target {
    didShare()
    if key.hasCheck || key.kind.hasStatus { checkedKeys[identity] = key }
    if checkedKeys.count > mostChecked {
      checkedKeys = checkedKeys.filter { values.declaration(of: $0.key) != nil }
      mostChecked = max(64, 2 * checkedKeys.count)
    }
    return SharedFields.Target(
      [.string(identity.text)] + key.part, isReadOnly: key.isReadOnly, isStored: key.isStored)
  }

  /// What stands behind the field in the nearest container around that shares one of this name.
  private func inherited(_ key: SharedKey, from container: SharedFields?) -> SharedFields.Target? {
    let path = key.name.splitAtDots()
    var next = container
    while let container = next {
      if let target = container.target(named: path.first ?? "") {
        let part = path.dropFirst().map { Value.string($0) } + key.part
        return SharedFields.Target(
          target.path + part, isReadOnly: target.isReadOnly || key.isReadOnly,
          isStored: target.isStored)
      }
      next = container.parent
    }
    return nil
  }

  /// Declares a key, or compares it with the first declaration. Different defaults of one type are a
  /// warning, and the first one stays. Defaults of different types are an error.
  private func declare(_ identity: SharedIdentity, _ key: SharedKey) throws(ScriptError) {
    // While an action runs, it may run alone.
    if arena == nil { try values.reserve(key) } else { try values.names.reserve(key) }
    if let first = values.declaration(of: identity) {
      if key.isKept { keptKeys.append(key) }
      return try compare(key, first)
    }
    if key.kind.hasStatus { try requireNoAction(key) }
    if key.isStored { return try declareStored(key) }
    if key.kind == .status {
      // The keeper of a custom key writes the status, and shows it to nobody.
      if key.isReadOnly { values.failures.show(identity.used) }
      return
    }
    let first = try key.firstValue()
    let declaration = try SharedValues.Declaration(key, first: first)
    if let arena {
      if values.declare(identity, declaration, first: nil), let first {
        lateValues[identity] = first
        arena.pointee.addSharedValue(identity.text, first)
      }
    } else if values.declare(identity, declaration, first: first) {
      declaredKeys?.insert(identity)
    }
    if key.kind == .custom {
      keptKeys.append(key)
      values.beginStatus(of: key)
    }
  }

  private func requireNoAction(_ key: SharedKey) throws(ScriptError) {
    guard arena == nil else {
      throw ScriptError(
        """
        \(key.origin): the stored value '\(key.name)' is shared by a feature that is made on its first use, and an action \
        cannot wait until it is loaded; share the key in a feature around that one as well
        """)
    }
  }

  private func declareStored(_ key: SharedKey) throws(ScriptError) {
    let found = try values.open(key)
    if key.isKept { keptKeys.append(key) }
    if let found, found.value == nil { declaredKeys?.insert(key.identity) }
    if let failure = found?.failure {
      unreadable[key.identity] = SharedFailures.warning(of: failure, opening: key)
    }
  }

  private func compare(
    _ key: SharedKey, _ first: SharedValues.Declaration
  ) throws(ScriptError) {
    let value = try key.plainDefault()
    guard key.version == first.version else {
      throw ScriptError(
        "the shared value '\(key.name)' has version \(first.version) at \(first.origin) and \(key.version) at \(key.origin); declare the key once"
      )
    }
    try values.storage(of: key.kind)?.requireSame(key)
    guard let value, let other = first.value, value != other else { return }
    let both =
      "the shared value '\(key.name)' has the default \(other) at \(first.origin) and \(value) at \(key.origin)"
    guard LuaValue(value).typeName == LuaValue(other).typeName else {
      throw ScriptError("\(both); give one of the two keys another name")
    }
    warnings.append(
      RuntimeWarning(
        kind: .sharedDefault,
        message: """
          \(both); the first one stays. Declare the key once, in a module that the features require
          """, origin: key.origin, action: nil))
  }

  /// Warns of fields that inherit from nothing, although a state has a field of that name around them that
  /// is not shared.
  func warnOfPlainFields(in state: Value) {
    for (key, container) in inheritingNothing {
      let name = key.name.splitAtDots().first ?? ""
      var around = container.parent
      while let outer = around, outer.value(in: state)?.object?[name] == nil {
        around = outer.parent
      }
      guard let outer = around else { continue }
      let place = (["state"] + (outer.fieldPath ?? []) + [name]).joined(separator: ".")
      warnings.append(
        RuntimeWarning(
          kind: .sharedDefault,
          message: """
            nothing around shares a field '\(name)' for shared.inherited("\(key.name)"), so the field has its default; \(place) is \
            a field of the state that is not shared: share it there, as shared = { \(name) = scripted.shared.inMemory("\(name)", …) }
            """, origin: key.origin, action: nil))
    }
    inheritingNothing = []
  }

  /// Makes what a state has under the names of shared fields the first value of those keys that this
  /// store was the first to declare.
  ///
  /// - Parameter skips: whether the keys get their own defaults instead, because a durable store had the state before.
  /// - Returns: why a value was left out; nil if none was.
  func setFirstValues(from state: Value, skips: Bool) -> ScriptError? {
    // Makes the lazy children that the state has, which declare keys of their own.
    fields.visitValues(of: state) { _, _, _ in }
    var keys = declaredKeys ?? []
    declaredKeys = nil
    guard !keys.isEmpty, !skips else { return nil }
    var refusal: ScriptError?
    fields.visitValues(of: state) { _, target, value in
      guard let value, target.path.count == 1, keys.remove(target.identity) != nil else { return }
      do throws(ScriptError) {
        try values.requireUsable(value, of: target.identity) { value throws(ScriptError) in
          try checkedKeys[target.identity]?.check(value)
        }
        values.setFirst(target.identity, to: value)
      } catch {
        refusal = refusal ?? error
      }
    }
    return refusal
  }
}
