/// The store cores of a worker, by slot. A slot is used again after ``remove(_:)``.
///
/// It owns the cores (+1). They are unmanaged, so that an action counts no reference.
struct StoreTable: ~Copyable {
  private var slots: [Unmanaged<StoreCore>?] = []
  private var freeSlots: [Int] = []
  /// `StoreSource`s by feature name, of stores without overrides.
  private var sources: [String: StoreSource] = [:]

  /// The core in a slot, borrowed (+0); nil if the slot is free.
  @inline(__always)
  subscript(slot: Int) -> Unmanaged<StoreCore>? { slots[slot] }

  var usedSlots: [Int] { slots.indices.filter { slots[$0] != nil } }

  var cores: [StoreCore] { slots.compactMap { $0?.takeUnretainedValue() } }

  /// Adds a core and returns its slot. Later stores of the same feature get its source (``source(_:_:)``).
  mutating func add(_ core: StoreCore) -> Int {
    if let source = core.origin.source, case .feature(let name) = source.reducing,
      source.dependencies.isEmpty
    {
      sources[name] = source
    }
    if let slot = freeSlots.popLast() {
      slots[slot] = .passRetained(core)
      return slot
    }
    slots.append(.passRetained(core))
    return slots.count - 1
  }

  /// Removes the core in a slot. Does nothing if the slot is free: it must not be given to two stores.
  mutating func remove(_ slot: Int) {
    guard let core = slots[slot] else { return }
    core.release()
    slots[slot] = nil
    freeSlots.append(slot)
  }

  /// The source of a store. Stores of a feature without overrides share one, so that a reload compiles it once.
  func source(
    _ reducing: StoreSource.Reducing, _ dependencies: [String: Dependency]
  ) -> StoreSource {
    if case .feature(let name) = reducing, dependencies.isEmpty, let known = sources[name] {
      return known
    }
    return StoreSource(reducing, dependencies: dependencies)
  }
}

/// What a store was made of. A reload uses it to compile the store's code from the new scripts.
package final class StoreSource: Sendable {
  package enum Reducing: Sendable {
    /// The name of a module, or a path that ends in `.lua`.
    case feature(String)
    case reducer(Reducer)
  }

  let reducing: Reducing
  /// The dependencies that the store overrides.
  let dependencies: [String: Dependency]

  init(_ reducing: Reducing, dependencies: [String: Dependency]) {
    self.reducing = reducing
    self.dependencies = dependencies
  }
}

/// The state that a store begins with, and that ``ScriptHost/reset()`` gives it again.
enum InitialState {
  /// The initial state of a feature, in which the top-level keys of `overrides` are replaced.
  case feature(String, overrides: Value?)
  /// A state that the host gave as a whole.
  case given(Value)
}

/// What a store was made of, as long as it exists.
struct StoreOrigin {
  /// A reload compiles the store from it again; nil for a store that stays on its generation.
  var source: StoreSource?
  /// Nil for stores of tests and replays, which are not reset.
  var initial: InitialState?
  /// The limits of the store's own; nil for those of the host.
  var limits: StoreLimits?

  /// The limits that hold for the store, its own or those of the host.
  func allLimits(_ engine: Engine) -> Limits { limits?.all ?? engine.configuration.limits }
}

/// The compiled code of a store in one generation.
struct StoreCode {
  let domain: Domain
  let dependencies: DependencyScope
}

/// The code that the screens of a store run: the domain with its views, and the generation whose VM runs them, retained.
struct ScreenCode {
  let domain: Domain
  let generation: Generation
}

extension Generation {
  func code(for source: StoreSource) throws(ScriptError) -> StoreCode {
    let domain =
      switch source.reducing {
      case .feature(let name): try feature(name).domain
      case .reducer(let reducer): try compiler.domain(of: reducer)
      }
    return StoreCode(domain: domain, dependencies: try scope(source.dependencies))
  }
}
