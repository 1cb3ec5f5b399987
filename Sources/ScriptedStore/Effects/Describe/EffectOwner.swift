import LuaBridge

/// The reducer and the handler that an effect belongs to, and the dependencies and values that its
/// code may reach.
final class EffectOwner {
  let node: ReducerNode
  /// The handler that returned the effect; nil for a reducer in Swift.
  private let handler: Handler?
  /// Retained here, because the `deps` in Lua do not retain it.
  let scope: DependencyScope
  /// The `deps` of the code.
  let dependencies: LuaReference?
  /// The whole action for which the effect was returned, owned (+1). The effect may have views of
  /// it.
  private let slot: Slot
  /// The generation of the views that the effect may have (not of the scripts); 0 if it has none.
  let generation: UInt64
  /// Other values that the handler got views of.
  private let kept: RetainedValues?

  /// - Parameters:
  ///   - action: borrowed (+0).
  ///   - generation: 0 if the handler took no views.
  init(
    _ node: ReducerNode, _ handler: Handler?, _ scope: DependencyScope,
    dependencies: LuaReference?, action: Slot, generation: UInt64,
    keeping kept: RetainedValues? = nil
  ) {
    self.node = node
    self.handler = handler
    self.scope = scope
    self.dependencies = dependencies
    slot = action.retained()
    self.generation = generation
    self.kept = kept
  }

  deinit { slot.release() }

  /// The VM of the code. The scope retains it.
  var vm: Unmanaged<LuaVM> { .passUnretained(scope.registry.vm) }

  /// The link of the generation of the code.
  var code: SchedulerLink { scope.registry.scheduler }

  var feature: String { node.feature ?? node.origin }
  var origin: String { handler.map { "\($0.script):\($0.line)" } ?? node.origin }

  /// The keys of the feature's `on` that lead to the handler.
  func patterns(in feature: FeatureNode) -> [String] {
    guard let handler else { return [] }
    return feature.patterns(at: handler.script, handler.line)
  }

  /// The path of the action.
  var action: String { Action(trusted: Value(borrowing: slot)).path }
}

/// Values beside the action that an effect may have views of.
final class RetainedValues {
  private let slots: [Slot]

  /// - Parameter slots: borrowed (+0).
  init(_ slots: [Slot]) { self.slots = slots.map { $0.retained() } }

  deinit { for slot in slots { slot.release() } }
}
