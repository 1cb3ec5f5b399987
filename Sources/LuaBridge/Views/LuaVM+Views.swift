import CLua
import ScriptValue

/// What a view may read: its state and its environment, two containers (+0), which the caller retains.
package struct ViewArguments {
  package let state: Slot
  package let environment: Slot

  package init(state: Slot, environment: Slot) {
    self.state = state
    self.environment = environment
  }
}

/// Running views: functions that read a state and return nodes.
extension LuaVM {
  /// Calls `body`, which runs a view and its rows, and returns what they have read.
  ///
  /// - Parameters:
  ///   - arguments: what the view may read, valid during the call.
  ///   - owner: the feature that messages name, from ``DraftArena/owner(named:)``.
  ///   - candidates: shapes that the view may have again.
  package func recordingReads(
    of arguments: ViewArguments, owner: UInt16, among candidates: [ReadShape],
    _ body: () throws(ScriptError) -> Void
  ) throws(ScriptError) -> ReadShape {
    forgetCause()
    let outer = sl_begin_drafts(&core.pointee.drafts, owner, false)
    arena.pointee.views.trace.begin(arguments)
    defer {
      arena.pointee.views.trace.end()
      sl_end_drafts(&core.pointee.drafts, outer)
    }
    try body()
    return arena.pointee.views.shapes.shape(of: arena.pointee.views.trace, among: candidates)
  }

  /// Calls a view on the recorded arguments.
  ///
  /// - Parameters:
  ///   - id: the `id` of the outermost node, borrowed (+0); absent for none.
  ///   - old: the outermost node of the run before, borrowed (+0); null for none.
  package func runView(
    _ view: Handler, on arguments: ViewArguments, kinds: NodeKinds, limit: Int, id: Slot = .absent,
    reusing old: Slot = .null
  ) throws(ScriptError) -> ViewOutput {
    let generation = core.pointee.drafts.valid.generation
    var values = (sl_value(), sl_value())
    DraftArena.putView(arguments.state, generation: generation, into: &values.0)
    DraftArena.putView(arguments.environment, generation: generation, into: &values.1)
    values.0.slot = ReadTrace.state
    values.1.slot = ReadTrace.environment
    let count: Int32 = view.takes(2) ? 2 : 1
    return try run(
      view.slot, &values, count, kinds: kinds, bound: (arguments.state, ReadTrace.state),
      limit: limit, id: id, old)
  }

  /// Records that the view depends on all of its state. Called while its reads are recorded.
  package func recordWholeState() { arena.pointee.views.trace.readWhole(ReadTrace.state) }

  /// Calls the function of a `forEach` with an element (+0) and its index, from 1. What it reads of the element
  /// is not recorded.
  ///
  /// - Parameter bindsFields: whether nodes may bind fields of the element.
  package func runRow(
    _ row: LuaFunction, element: Slot, index: Int, bindsFields: Bool, kinds: NodeKinds, limit: Int,
    id: Slot, reusing old: Slot
  ) throws(ScriptError) -> ViewOutput {
    var values = (sl_value(), sl_value())
    if element.isContainer {
      let generation = core.pointee.drafts.valid.generation
      DraftArena.putView(element, generation: generation, into: &values.0)
      values.0.slot = arena.pointee.views.trace.addRow(element)
    } else {
      DraftArena.putScalar(element, into: &values.0)
    }
    DraftArena.putScalar(.integer(Int64(index)), into: &values.1)
    return try run(
      row.slot, &values, 2, kinds: kinds, bound: (element, 0), bindsFields: bindsFields,
      limit: limit, id: id, old)
  }

  private func run(
    _ function: Int32, _ arguments: inout (sl_value, sl_value), _ count: Int32, kinds: NodeKinds,
    bound: (slot: Slot, number: UInt32), bindsFields: Bool = true, limit: Int, id: Slot, _ old: Slot
  ) throws(ScriptError) -> ViewOutput {
    let status = withUnsafePointer(to: &arguments) {
      $0.withMemoryRebound(to: sl_value.self, capacity: 2) {
        sl_view(core, core.pointee.L, function, $0, count)
      }
    }
    if status != LUA_OK { throw ScriptError(status: status, in: self) }
    var reader = NodeReader(self, kinds, bound: bound, bindsFields: bindsFields, limit: limit)
    let output = try reader.read(id: id, reusing: old)
    releaseDeferred()
    releasePending()
    return output
  }
}

extension LuaFunction {
  /// Whether two functions do the same: the same code in one VM, with equal values in their upvalues.
  package func isSame(as other: LuaFunction) -> Bool {
    self === other || vm === other.vm && sl_same_function(vm.core, slot, other.slot)
  }
}
