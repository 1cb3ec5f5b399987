import LuaBridge

/// The observers of a store, by their paths.
final class ObserverTree {
  typealias Handler = @Sendable (Value, _ transaction: Value?) -> Void

  // Structs, because a function in a tuple of a generic type is wrapped in another one each time it is read.
  private struct Registration {
    /// Counts up in the order of registration.
    let id: UInt64
    let handler: Handler
    /// nil for that of the store.
    let outbox: Outbox?
  }

  private struct Call {
    let observer: Registration
    let value: Value
  }

  private let paths = PathTree<[Registration]>([])

  var isEmpty: Bool { paths.content.isEmpty && !paths.hasChildren }

  /// - Parameter outbox: nil for that of the store.
  func add(
    _ id: UInt64, at steps: ArraySlice<StatePath.Step>, to outbox: Outbox? = nil,
    _ handler: @escaping Handler
  ) {
    var node = paths
    for step in steps {
      if let known = node.child(at: step) {
        node = known
      } else {
        let new = PathTree<[Registration]>([])
        node.set(new, at: step)
        node = new
      }
    }
    // Threads that register at the same time may arrive in another order than their ids.
    let place = node.content.lastIndex { $0.id < id }.map { $0 + 1 } ?? 0
    node.content.insert(Registration(id: id, handler: handler, outbox: outbox), at: place)
  }

  func remove(_ id: UInt64, at steps: ArraySlice<StatePath.Step>) {
    remove(id, at: steps, in: paths)
  }

  private func remove(
    _ id: UInt64, at steps: ArraySlice<StatePath.Step>, in node: PathTree<[Registration]>
  ) {
    guard let step = steps.first else {
      node.content.removeAll { $0.id == id }
      return
    }
    guard let child = node.child(at: step) else { return }
    remove(id, at: steps.dropFirst(), in: child)
    if child.content.isEmpty && !child.hasChildren { node.set(nil, at: step) }
  }

  /// Delivers to the observers what changed between two versions (+0) of the state, in the order of
  /// registration.
  func notify(
    from old: Slot, to new: Slot, _ transaction: Value?, _ audience: StoreAudience, _ engine: Engine
  ) {
    var ofStore: [Call] = []
    var others: [Call] = []
    paths.visitChanges(from: old, to: new) { node, old, new in
      guard !node.content.isEmpty && !Slot.equal(old, new) else { return }
      let value = Value(borrowing: new)
      for observer in node.content {
        let call = Call(observer: observer, value: value)
        if observer.outbox == nil { ofStore.append(call) } else { others.append(call) }
      }
    }
    // Sorted by id, because dictionaries have no order.
    ofStore.sort { $0.observer.id < $1.observer.id }
    others.sort { $0.observer.id < $1.observer.id }
    if !ofStore.isEmpty {
      engine.deliver(to: audience.outbox) { [ofStore] in
        for call in ofStore { call.observer.handler(call.value, transaction) }
      }
    }
    for call in others {
      engine.deliver(to: call.observer.outbox) { call.observer.handler(call.value, transaction) }
    }
  }
}
