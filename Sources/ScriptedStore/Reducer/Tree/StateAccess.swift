import LuaBridge

/// How an operator gets from its own state to its child's: by a path of keys, or by a script's
/// functions `get` and `set`.
final class StateAccess {
  /// The path; empty for functions. Allocated by hand, so that reading it counts no reference.
  let keys: UnsafeMutableBufferPointer<FieldKey>
  private let functions: Functions?

  private struct Functions {
    let get: Handler
    let set: Handler
    let owner: UInt16
  }

  init(path: [String]) {
    keys = .allocate(capacity: path.count)
    for (index, key) in path.enumerated() { keys.initializeElement(at: index, to: FieldKey(key)) }
    functions = nil
  }

  /// - Parameter owner: the number of the feature's name, for messages about the functions' drafts.
  init(get: Handler, set: Handler, owner: UInt16) {
    keys = .allocate(capacity: 0)
    functions = Functions(get: get, set: set, owner: owner)
  }

  deinit {
    keys.deinitialize()
    keys.deallocate()
  }

  /// The draft of the child's state; nil if the state is absent.
  @inline(__always)
  func childDraft(_ context: ReduceContext, _ draft: Int32) throws(ScriptError) -> Int32? {
    if let functions { return try childDraft(functions, context, draft) }
    return self.draft(below: draft, at: keys.indices, context)
  }

  /// The draft at some of the keys, one below the other; nil if it is absent.
  @inline(__always)
  private func draft(
    below draft: Int32, at indices: Range<Int>, _ context: ReduceContext
  ) -> Int32? {
    var draft = draft
    for index in indices {
      guard case .draft(let next) = context.arena.pointee.child(of: draft, key: keys[index]) else {
        return nil
      }
      draft = next
    }
    return draft
  }

  private func childDraft(
    _ functions: Functions, _ context: ReduceContext, _ draft: Int32
  ) throws(ScriptError) -> Int32? {
    let state = try context.vm.evaluate(functions.get, [.draft(draft)], owner: functions.owner)
    guard state.isContainer else {
      state.release()
      return nil
    }
    return context.arena.pointee.addDetached(state)
  }

  /// Where an action has changed the shape of the state.
  enum Reshaped {
    case no
    /// An object on the path, so that the child's state may be another one or absent. Also for
    /// a script's functions, because what they read is unknown.
    case parent
    /// The child's state, or a container inside it. This is the draft of the child's state.
    case child(Int32)
  }

  func reshaped(_ context: ReduceContext, _ draft: Int32) -> Reshaped {
    guard functions == nil else { return .parent }
    var draft = draft
    for index in keys.indices {
      if context.arena.pointee.isReshaped(draft) { return .parent }
      guard let next = context.arena.pointee.reshapedChild(of: draft, key: keys[index]) else {
        return .no
      }
      draft = next
    }
    return .child(draft)
  }

  /// Passes the child's state to `set`; does nothing for a path.
  @inline(__always)
  func writeBack(_ context: ReduceContext, _ draft: Int32, _ child: Int32) throws(ScriptError) {
    guard let functions else { return }
    let result = try context.vm.call(
      functions.set, [.draft(draft), .draft(child)], owner: functions.owner)
    // The result of `set` is ignored.
    if case .run(let run) = result { context.vm.release(run.functions) }
  }

  /// Whether the child's state is a part of the parent's, and not computed by functions.
  var isPath: Bool { functions == nil }

  /// The child's state, borrowed (+0), in a committed state of the parent; absent for functions.
  func childState(in state: Slot) -> Slot {
    guard functions == nil else { return .absent }
    var state = state
    for index in keys.indices { state = keys[index].value(in: state) }
    return state
  }

  /// Calls `body` with the child's state, borrowed (+0), in a committed state of the parent: the
  /// value at the path, or what `get` returns. It is nil if `get` raises.
  func withChildState<R>(
    in state: Slot, _ context: ReduceContext, _ body: (Slot?) -> R
  ) -> R {
    guard let functions else { return body(childState(in: state)) }
    if state.isAbsent { return body(.absent) }
    let made = try? context.vm.evaluate(functions.get, [.view(state)], owner: functions.owner)
    defer { made?.release() }
    return body(made)
  }

  /// The keys of the path; empty for functions.
  var path: [String] { keys.indices.map { keys[$0].text } }

  /// The path as scripts write it; nil for functions.
  var key: String? { isPath ? path.joined(separator: ".") : nil }

  var description: String {
    if let get = functions?.get { return "what `get` at \(get.script):\(get.line) returned" }
    return (["state"] + path).joined(separator: ".")
  }
}

// MARK: - Editing

extension StateAccess {
  /// Removes the child's state from the parent's draft.
  func remove(_ context: ReduceContext, from draft: Int32) {
    let last = keys.count - 1
    guard let parent = self.draft(below: draft, at: 0..<last, context) else { return }
    context.arena.pointee.removeValue(of: parent, key: keys[last])
  }

  /// Returns a parent's state with another state of the child, owned (+1). `state` is borrowed
  /// (+0). Consumes `owned` (+1); an absent slot removes the child's state. If the state has no
  /// such path, it is returned as it is.
  ///
  /// - Parameter index: the key of the path that belongs to `state`; by default the first.
  func replacing(in state: Slot, from index: Int = 0, by owned: Slot) -> Slot {
    var object = ObjectTree(borrowing: state)
    guard let position = object.position(of: keys[index].bytes) else {
      owned.release()
      return object.ownedSlot()
    }
    if index + 1 < keys.count {
      object.set(position, replacing(in: object.borrow(position), from: index + 1, by: owned))
    } else if owned.isAbsent {
      object.remove(position).release()
      object.compact()
    } else {
      object.set(position, owned)
    }
    return object.ownedSlot()
  }
}
