import LuaBridge

/// What one store shares: its shared fields, and the version of the shared values that its state
/// shows.
///
/// 1. Where the state has a shared field, it contains the very node that is the shared value in
///    ``shown``, unless ``isDetached``.
/// 2. ``pending`` exists only while an action is being reduced.
final class StoreSharing {
  let fields = SharedFields()
  let values: SharedValues
  private(set) var shown: SharedVersion
  /// The values of ``shown`` as a slot, owned (+1).
  private(set) var slot: Slot
  /// Whether the state is one of the past, which a history shows. The store's next action attaches it
  /// again.
  var isDetached = false
  private var hasPublished = false
  /// The drafts of the action that is being reduced; nil between two actions.
  private var arena: UnsafeMutablePointer<DraftArena>?
  /// First values of keys that were declared in the middle of an action, by a reducer that is made on
  /// its first use. They are published with that action.
  private var lateValues: [String: Value] = [:]
  /// What the action has made of the values; nil if it wrote none.
  private var pending: Value.Object?
  /// The keys of values that belong to this store alone (``SharedKey/Kind/inherited``).
  private var ownKeys: [String] = []
  /// The keys that this store was the first to declare, until it has begun.
  private var declaredKeys: Set<String> = []
  /// The keys that fields share and that a worker has to keep, until it does.
  private var keptKeys: [SharedKey] = []
  /// The warnings about declarations of keys, until ``takeWarnings()``.
  private var warnings: [RuntimeWarning] = []
  /// Warnings about stored values that could not be read, by their keys.
  private var unreadable: [String: RuntimeWarning] = [:]
  private var failure: ScriptError?
  /// The shared fields whose keys depend on the state.
  var dynamicFields: [DynamicField] = []
  /// Whether an `onChange` of the store may hear of a shared value.
  let hasReactions: Bool
  /// Whether the store does something when others change a shared value.
  var reacts: Bool { hasReactions || !dynamicFields.isEmpty }

  /// Where the store says that it hears of changes.
  let hearers: SharedHearers
  private let box: StateSnapshot

  /// Nil if the reducer shares nothing.
  ///
  /// - Parameter box: from which others read the store's state.
  init?(
    _ root: ReducerNode, _ values: SharedValues, _ hearers: SharedHearers, _ box: StateSnapshot
  ) {
    (self.values, self.hearers, self.box) = (values, hearers, box)
    hasReactions = root.hasReactions
    shown = values.version
    slot = Value.object(shown.values).ownedSlot()
    fields.add { [unowned self] in root.addShared(to: $0, self) }
    guard fields.mayShare else { return nil }
    if let (outer, inner) = fields.nestedFields {
      failure = ScriptError(
        "the field '\(inner)' cannot be shared: it lies inside of '\(outer)', which is shared already; share it next to that field"
      )
    }
    if let reader = fields.childInReader {
      failure = ScriptError(
        "the field '\(reader)' may only be read, so it cannot be the state of a child; share the key without `reader()` or `status()`"
      )
    }
  }

  deinit {
    slot.release()
    for key in ownKeys { values.remove(key) }
  }

  // MARK: Fields

  /// Makes a field of a feature shared.
  ///
  /// - Parameter container: the container that is the feature's state.
  func share(_ field: SharedField, in container: SharedFields) {
    let key = field.key
    if key.kind == .inherited, let target = inherited(key, from: container.parent) {
      return container.share(field.name, target)
    }
    var identity = key.identity
    if key.kind == .inherited {
      identity += "#\(values.nextOwner())"
      ownKeys.append(identity)
    }
    declare(identity, key)
    container.share(
      field.name,
      SharedFields.Target([.string(identity)] + key.part, isReadOnly: key.isReadOnly))
  }

  /// What stands behind the field in the nearest container around that shares one of this name.
  private func inherited(_ key: SharedKey, from container: SharedFields?) -> SharedFields.Target? {
    let path = key.name.split(separator: ".").map(String.init)
    var next = container
    while let container = next {
      if let target = container.target(named: path.first ?? "") {
        let part = path.dropFirst().map { Value.string($0) } + key.part
        return SharedFields.Target(
          target.path + part, isReadOnly: target.isReadOnly || key.isReadOnly)
      }
      next = container.parent
    }
    return nil
  }

  /// Declares a key, or compares it with the first declaration. Different defaults of one type are a
  /// warning, and the first one stays. Defaults of different types are an error.
  private func declare(_ identity: String, _ key: SharedKey) {
    do throws(ScriptError) {
      try values.names.reserve(key)
      let value = try key.plainDefault()
      if let first = values.declaration(of: identity) {
        if key.isKept { keptKeys.append(key) }
        return try compare(key, value, first)
      }
      if key.isStored || key.kind == .custom { try requireNoAction(key) }
      if key.isStored { return try declareStored(key) }
      if key.kind == .status {
        // The keeper of a custom key writes the status, and shows it to nobody.
        if key.isReadOnly { values.failures.show(key.name) }
        return
      }
      let declaration = SharedValues.Declaration(value: value, origin: key.origin)
      let first = try key.firstValue()
      if let arena {
        if values.declare(identity, declaration, first: nil), let first {
          lateValues[identity] = first
          arena.pointee.addSharedValue(identity, first)
        }
      } else if values.declare(identity, declaration, first: first) {
        declaredKeys.insert(identity)
      }
      if key.kind == .custom {
        keptKeys.append(key)
        values.beginStatus(of: key)
      }
    } catch {
      fail(error)
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
    let opened = try values.open(key)
    if key.hasFormat { keptKeys.append(key) }
    if opened.hasDefault { declaredKeys.insert(key.identity) }
    guard let failure = opened.failure else { return }
    unreadable[key.identity] = RuntimeWarning(
      kind: .sharedStorage,
      message: """
        the shared value '\(key.name)' cannot be read from \(key.fileName): \(failure.message) (\(failure.code)). \
        \(key.kind == .database ? StoredTable.remedy(for: failure, key) : StoreSharing.remedy(for: failure))
        """, origin: key.origin, action: nil)
  }

  private static func remedy(for failure: SharedStorageError) -> String {
    switch failure.code {
    case "broken", "invalid", "decode":
      "The default is used. Before the file is written, the old text gets another name next to it; repair it, and put it back while the program does not run"
    case "newer": "The default is used, and the file stays as it is; run the newer scripts"
    case "migration":
      "The default is used, and the file stays as it is; correct the key's `migrate`, and start the program again"
    default:
      "The default is used, and the file stays as it is"
    }
  }

  private func compare(
    _ key: SharedKey, _ value: Value?, _ first: SharedValues.Declaration
  ) throws(ScriptError) {
    guard key.version == first.version else {
      throw ScriptError(
        "the shared value '\(key.name)' has version \(first.version) at \(first.origin) and \(key.version) at \(key.origin); declare the key once"
      )
    }
    try values.requireSameTable(key)
    try values.requireSameFormat(key)
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

  /// Makes what a state has under the names of shared fields the first value of those keys that this
  /// store was the first to declare.
  func setFirstValues(from state: Value) {
    guard !declaredKeys.isEmpty else { return }
    fields.visitValues(of: state) { _, target, value in
      guard let value, target.path.count == 1 else { return }
      if declaredKeys.remove(target.value) != nil { values.setFirst(target.value, to: value) }
    }
    declaredKeys = []
  }

  /// Refuses the store, with the first of these errors.
  func fail(_ error: ScriptError) { failure = failure ?? error }

  /// Throws the error of a declaration.
  func check() throws(ScriptError) {
    if let failure { throw failure }
  }

  /// The keys that a worker has to keep, once.
  func takeKeptKeys() -> [SharedKey] {
    defer { keptKeys = [] }
    return keptKeys
  }

  func takeWarnings() -> [RuntimeWarning] {
    // A feature that shares the value's status shows the failure itself.
    for (key, warning) in unreadable where !fields.shows(SharedKey.statusIdentity(of: key)) {
      warnings.append(warning)
    }
    unreadable = [:]
    defer { warnings = [] }
    return warnings
  }

  // MARK: Versions

  /// Whether the state has to be brought up to date before an action runs on it.
  @inline(__always)
  var isStale: Bool { values.isNewer(than: shown.number) || isDetached }

  /// Shows the current version from now on.
  func showCurrent() {
    isDetached = false
    show(values.version)
  }

  /// Shows this version from now on.
  func show(_ version: SharedVersion) {
    shown = version
    box.shows(version.number, of: values)
    slot.release()
    slot = Value.object(version.values).ownedSlot()
  }

  /// The values that a state of the store shows.
  func values(in state: Value) -> Value.Object {
    var values = Value.object(shown.values)
    fields.visitValues(of: state) { _, target, value in values.set(value, at: target.path[...]) }
    return values.object ?? Value.Object()
  }

  // MARK: An action

  /// Connects the arena's drafts with the values.
  ///
  /// - Parameter other: values (+0) that the state shows instead of ``shown``, as one of the past does.
  func open(_ context: ReduceContext, showing other: Slot? = nil) throws(ScriptError) {
    pending = nil
    if let failure { throw failure }
    context.arena.pointee.share(fields, other ?? slot)
    for (key, value) in lateValues { context.arena.pointee.addSharedValue(key, value) }
    arena = context.arena
  }

  /// The action has ended.
  func close() {
    arena = nil
    pending = nil
  }

  /// Stores the shared values in the state's drafts, and notes what the action wrote to the values. O(1)
  /// if the action wrote to no shared value and added no container.
  ///
  /// - Parameter isStale: whether the state shows an older version.
  func graft(_ context: ReduceContext, isStale: Bool = false) throws(ScriptError) {
    let arena = context.arena
    let isChanged = arena.pointee.hasChangedShared
    guard isChanged || isStale || arena.pointee.isReshapedAnywhere(0) else { return }
    do throws(DraftError) {
      if isChanged { pending = Value(owning: try arena.pointee.currentSharedValues()).object }
      try arena.pointee.graft(0)
    } catch {
      throw ScriptError(error.message)
    }
    // A reducer that was made in this action may have declared a key.
    try check()
  }

  /// A state (+0) in which the shared fields have these values (+0), owned (+1).
  func grafted(
    _ state: Slot, with values: Slot, _ context: ReduceContext
  ) throws(ScriptError) -> Slot {
    let (arena, written) = (context.arena, pending)
    arena.pointee.begin(state)
    defer {
      arena.pointee.reset()
      close()
      pending = written
    }
    try open(context, showing: values)
    do throws(DraftError) {
      try arena.pointee.graft(0)
      return try arena.pointee.commit()
    } catch {
      throw ScriptError(error.message)
    }
  }

  /// Publishes what the action wrote. Returns false, if another thread has changed a value that the
  /// action has opened.
  ///
  /// - Parameters:
  ///   - opensAll: whether the action counts as one that has opened all values.
  ///   - current: the current version, if the action runs alone.
  func publish(
    _ context: ReduceContext, opensAll: Bool, alone current: UnsafeMutablePointer<SharedVersion>?
  ) -> Bool {
    guard let new = pending else { return true }
    pending = nil
    let (arena, old) = (context.arena, shown)
    let hasOpened = { opensAll || arena.pointee.hasOpened($0) }
    let isPublished =
      if let current {
        current.pointee.take(new, basedOn: old, hasOpened: hasOpened)
      } else {
        values.publish(new, basedOn: old, hasOpened: hasOpened)
      }
    guard isPublished else { return false }
    lateValues = [:]
    // What others have changed meanwhile comes with the next step.
    let isOnlyOne = !values.isNewer(than: old.number + 1)
    show(SharedVersion(number: isOnlyOne ? old.number + 1 : old.number, values: new))
    hasPublished = true
    return true
  }

  /// Whether anything was published since the last call.
  func takePublished() -> Bool {
    defer { hasPublished = false }
    return hasPublished
  }

  /// Makes nodes of shared values that a settled state (+0) has, and ``pending`` does not, the values.
  /// Returns the state with them, owned (+1); nil if there are none.
  func adopt(from state: Slot, _ context: ReduceContext) throws(ScriptError) -> Slot? {
    guard var new = pending else { return nil }
    var adopted: Set<String> = []
    fields.visitValues(of: Value(borrowing: state)) { _, target, value in
      guard let value, target.path.count == 1, value != new[target.value],
        adopted.insert(target.value).inserted
      else { return }
      new[target.value] = value
    }
    guard !adopted.isEmpty else { return nil }
    pending = new
    let values = Value.object(new).ownedSlot()
    defer { values.release() }
    return try grafted(state, with: values, context)
  }

  /// The names of values for people: without the kind of their keys.
  func names(of targets: [SharedFields.Target]) -> [String] {
    let names = Set(
      targets.map { target in
        let name = target.value.drop { $0 != ":" }.dropFirst()
        return String(name.prefix { $0 != "#" })
      })
    return names.sorted()
  }
}
