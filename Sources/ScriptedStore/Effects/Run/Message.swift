import LuaBridge

/// An action on its way from an effect to the store.
struct Message {
  var action: Action
  /// The reducer whose effect sends the action.
  let sender: ReducerNode?
  var transaction: Value?
  /// Counts the action's bytes as memory of the VM whose script made it; nil otherwise.
  private(set) var kept: KeptMemory?
  /// The link of that VM's generation.
  private(set) var keeper: SchedulerLink?

  init(_ action: Action, from sender: ReducerNode?) {
    self.action = action
    self.sender = sender
  }

  init(
    _ action: Action, from sender: ReducerNode?, kept: KeptMemory?, of owner: EffectOwner?
  ) {
    self.init(action, from: sender)
    keep(kept, of: owner)
  }

  /// Replaces the counted memory, because the message carries another action now.
  mutating func keep(_ memory: KeptMemory?, of owner: EffectOwner?) {
    kept = memory
    keeper = memory == nil ? nil : owner?.code
  }
}
