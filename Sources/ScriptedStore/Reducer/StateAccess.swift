import LuaBridge

/// How an operator gets from its own state to its child's: by keys from object to object, or by a script's
/// own pair of functions.
final class StateAccess {
  /// In memory of its own, so that nothing is counted on the way of an action.
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

  /// - Parameter owner: whose drafts the functions get.
  init(get: Handler, set: Handler, owner: UInt16) {
    keys = .allocate(capacity: 0)
    functions = Functions(get: get, set: set, owner: owner)
  }

  deinit {
    keys.deinitialize()
    keys.deallocate()
  }

  /// The draft of the child's state, or nil if it is absent.
  @inline(__always)
  func open(_ context: ReduceContext, _ draft: Int32) throws(ScriptError) -> Int32? {
    if let functions { return try open(functions, context, draft) }
    var draft = draft
    for index in keys.indices {
      guard case .draft(let next) = context.arena.pointee.child(of: draft, key: keys[index]) else {
        return nil
      }
      draft = next
    }
    return draft
  }

  private func open(
    _ functions: Functions, _ context: ReduceContext, _ draft: Int32
  ) throws(ScriptError) -> Int32? {
    let state = try context.vm.evaluate(functions.get, [.draft(draft)], owner: functions.owner)
    guard state.isContainer else {
      state.release()
      return nil
    }
    return context.arena.pointee.addDetached(state)
  }

  /// What an action has given another shape.
  enum Reshaped {
    case no
    /// Something on the way to the child's state, which may be another one or none.
    case parent
    /// What is at the child's draft or below.
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

  /// Puts the child's state back, where it is not a part of the parent's.
  @inline(__always)
  func close(_ context: ReduceContext, _ draft: Int32, _ child: Int32) throws(ScriptError) {
    guard let functions else { return }
    let result = try context.vm.call(
      functions.set, [.draft(draft), .draft(child)], owner: functions.owner)
    // It has nothing to return.
    if case .run(let run) = result { context.vm.forget(run.functions) }
  }

  /// Whether it is a part of the parent's, and no function's.
  var isPath: Bool { functions == nil }

  /// The child's state (+0) in a parent's that is committed; absent where only a function knows.
  func look(at state: Slot) -> Slot {
    guard functions == nil else { return .absent }
    var state = state
    for index in keys.indices { state = keys[index].value(in: state) }
    return state
  }

  /// Calls `body` with the child's state (+0) in a parent's that is committed: what is at the path, or what the
  /// function makes of it now; nil where that raises.
  func withState<R>(
    of state: Slot, _ context: ReduceContext, _ body: (Slot?) -> R
  ) -> R {
    guard let functions else { return body(look(at: state)) }
    if state.isAbsent { return body(.absent) }
    let made = try? context.vm.evaluate(functions.get, [.view(state)], owner: functions.owner)
    defer { made?.release() }
    return body(made)
  }

  /// As scripts write it; nil where functions do it.
  var key: String? { isPath ? keys.indices.map { keys[$0].text }.joined(separator: ".") : nil }

  var description: String {
    if let get = functions?.get { return "what `get` at \(get.script):\(get.line) returned" }
    return "state" + keys.indices.reduce(into: "") { $0 += "." + keys[$1].text }
  }
}
