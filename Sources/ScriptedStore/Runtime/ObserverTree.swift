import LuaBridge

/// The observers of a store: a tree by the steps of their paths. Each node holds the handlers of
/// one path and the nodes of the steps below it.
///
/// A notification compares two versions of the state. It visits only branches whose value changed.
/// Of the nodes of list elements it visits only those whose element changed.
final class ObserverTree {
  typealias Handler = @Sendable (Value, _ transaction: Value?) -> Void

  private typealias Registration = (id: UInt64, handler: Handler)

  /// Ordered by id, which is the order of registration.
  private var handlers: [Registration] = []
  private var keys: [String: ObserverTree] = [:]
  private var indices: [Int: ObserverTree] = [:]
  /// By the field that identifies elements, then by the element's id.
  private var elements: [String: [Value: ObserverTree]] = [:]

  var isEmpty: Bool {
    handlers.isEmpty && keys.isEmpty && indices.isEmpty && elements.isEmpty
  }

  func add(_ id: UInt64, at steps: ArraySlice<StatePath.Step>, _ handler: @escaping Handler) {
    guard let step = steps.first else {
      // Threads that register at the same time may arrive in another order than their ids.
      let place = handlers.lastIndex { $0.id < id }.map { $0 + 1 } ?? 0
      handlers.insert((id, handler), at: place)
      return
    }
    child(step, making: true)?.add(id, at: steps.dropFirst(), handler)
  }

  func remove(_ id: UInt64, at steps: ArraySlice<StatePath.Step>) {
    guard let step = steps.first else {
      handlers.removeAll { $0.id == id }
      return
    }
    guard let child = child(step, making: false) else { return }
    child.remove(id, at: steps.dropFirst())
    if child.isEmpty { drop(step) }
  }

  private func child(_ step: StatePath.Step, making: Bool) -> ObserverTree? {
    func find<Key>(_ children: inout [Key: ObserverTree], _ key: Key) -> ObserverTree? {
      if let known = children[key] { return known }
      guard making else { return nil }
      let new = ObserverTree()
      children[key] = new
      return new
    }
    switch step {
    case .key(let key): return find(&keys, key)
    case .index(let index): return find(&indices, index)
    case .element(let id, let field): return find(&elements[field, default: [:]], id)
    }
  }

  private func drop(_ step: StatePath.Step) {
    switch step {
    case .key(let key): keys[key] = nil
    case .index(let index): indices[index] = nil
    case .element(let id, let field):
      elements[field]?[id] = nil
      if elements[field]?.isEmpty == true { elements[field] = nil }
    }
  }

  // MARK: Notifying

  /// The changed values with their handlers. The common single one needs no array.
  private struct News {
    typealias Item = (handlers: [Registration], value: Value)
    var first: Item?
    var others: [Item] = []

    mutating func append(_ item: Item) {
      if first == nil { first = item } else { others.append(item) }
    }
  }

  /// Delivers to the observers what changed between two versions (+0) of the value at this path, in
  /// the order of registration.
  func notify(from old: Slot, to new: Slot, _ transaction: Value?, _ engine: Engine) {
    var news = News()
    collect(from: old, to: new, &news)
    guard let (handlers, value) = news.first else { return }
    guard !news.others.isEmpty else {
      return engine.deliver { for (_, handler) in handlers { handler(value, transaction) } }
    }
    // Sorted by id, because dictionaries have no order.
    let calls = ([(handlers, value)] + news.others).flatMap { item in
      item.handlers.map { (id: $0.id, handler: $0.handler, value: item.value) }
    }.sorted { $0.id < $1.id }
    engine.deliver { for (_, handler, value) in calls { handler(value, transaction) } }
  }

  private func collect(from old: Slot, to new: Slot, _ news: inout News) {
    if old.isIdentical(to: new) { return }
    if !handlers.isEmpty && !Slot.equal(old, new) { news.append((handlers, Value(borrowing: new))) }
    if !keys.isEmpty { collectKeys(old, new, &news) }
    if !indices.isEmpty { collectIndices(old, new, &news) }
    for (field, children) in elements { collectElements(field, children, old, new, &news) }
  }

  private func collectKeys(_ old: Slot, _ new: Slot, _ news: inout News) {
    if keys.count > 32, let changed = ObjectTree.changedKeys(from: old, to: new) {
      for key in changed {
        keys[key]?.collect(from: old.field(named: key), to: new.field(named: key), &news)
      }
      return
    }
    for (key, child) in keys {
      child.collect(from: old.field(named: key), to: new.field(named: key), &news)
    }
  }

  private func collectIndices(_ old: Slot, _ new: Slot, _ news: inout News) {
    guard old.tag == .list, new.tag == .list, indices.count > 8 else {
      for (index, child) in indices {
        child.collect(from: old.element(index), to: new.element(index), &news)
      }
      return
    }
    let before = PersistentList(borrowing: old)
    let after = PersistentList(borrowing: new)
    after.forEachDifference(from: before) { index, old, new in
      indices[index]?.collect(from: old, to: new, &news)
      return true
    }
    for index in min(before.count, after.count)..<max(before.count, after.count) {
      indices[index]?.collect(from: old.element(index), to: new.element(index), &news)
    }
  }

  private func collectElements(
    _ field: String, _ children: [Value: ObserverTree], _ old: Slot, _ new: Slot, _ news: inout News
  ) {
    guard old.tag == .list || new.tag == .list else {
      for (id, child) in children {
        let step = StatePath.Step.element(id: id, field: field)
        var hint = 0
        child.collect(
          from: step.look(at: old, hint: &hint), to: step.look(at: new, hint: &hint), &news)
      }
      return
    }
    var key = field
    key.withUTF8 { key in
      let moved = ElementIDs.changed(from: old, to: new, under: UnsafeRawBufferPointer(key))
      for (id, versions) in moved {
        children[id]?.collect(from: versions.old, to: versions.new, &news)
      }
    }
  }
}
