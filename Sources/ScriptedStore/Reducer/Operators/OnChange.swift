import LuaBridge

extension Reducer {
  /// The function that runs after a change. It is like ``Body``, and also gets the old and the new
  /// value; null stands for an absent value.
  public typealias ChangeBody =
    @Sendable (
      _ state: inout Value, _ old: Value, _ new: Value, _ action: Action
    ) throws -> Effect

  /// Runs `body` if the value at `key`, a dotted path, has changed while `self` and its children
  /// ran. Values are compared deeply. The effects of `body` come after those of `self`. As TCA's
  /// `onChange`.
  ///
  /// ```swift
  /// let app = Reducer.script("settings")
  ///   .onChange("isHapticFeedbackEnabled") { state, _, new, _ in
  ///     .run { _ in await haptics.enable(new.bool ?? false) }
  ///   }
  /// ```
  public func onChange(
    _ key: String, file: StaticString = #fileID, line: UInt = #line, _ body: @escaping ChangeBody
  ) -> Reducer {
    onChange(origin: "onChange at \(file):\(line)", body) {
      .path(StateAccess(path: Reducer.path(key)))
    }
  }

  /// Runs `body` if the value that a function returns for the state has changed, like
  /// ``onChange(_:file:line:_:)``.
  public func onChange(
    of value: @escaping @Sendable (_ state: Value) -> Value, file: StaticString = #fileID,
    line: UInt = #line, _ body: @escaping ChangeBody
  ) -> Reducer {
    onChange(origin: "onChange at \(file):\(line)", body) { .host(value) }
  }

  private func onChange(
    origin: String, _ body: @escaping ChangeBody,
    of subject: @escaping @Sendable () -> OnChangeNode.Subject
  ) -> Reducer {
    Reducer(origin: origin) { (compiler, builder) throws(ScriptError) in
      OnChangeNode(
        base: try compiler.compile(.swift(self), &builder), subject: subject(),
        reaction: .host(body), origin: origin)
    }
  }
}

extension ReducerCompiler {
  func onChange(
    _ description: LuaTable, _ origin: String, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    let base = try compile(try description.base(origin), &builder)
    guard let handler = try description.handler("handler") else {
      throw ScriptError("\(origin) has no function")
    }
    let feature = base.firstFeature
    let caller = feature?.caller ?? handlerContext(named: builder.name ?? origin)
    let subject: OnChangeNode.Subject
    if let function = try description.handler("of") {
      let owner = modules.vm.arena.pointee.owner(named: builder.name ?? "the parent's")
      subject = .script(function, owner: owner)
    } else {
      subject = .path(StateAccess(path: Reducer.path(try description.string("key") ?? "")))
    }
    return OnChangeNode(
      base: base, subject: subject, reaction: .script(handler, feature, caller), origin: origin)
  }
}

/// Runs a function when a part of the state has changed while a reducer and its children ran. As
/// TCA's `onChange`.
final class OnChangeNode: WrapperNode {
  /// The value that is compared.
  enum Subject {
    case path(StateAccess)
    /// What a script's function returns for the state. `owner` is the number of the feature's name,
    /// for messages about the function's drafts.
    case script(Handler, owner: UInt16)
    case host(@Sendable (Value) -> Value)
  }

  /// The function that runs after a change.
  enum Reaction {
    /// A script's function. Its effects belong to the first feature in the operator's base; to the
    /// operator if there is none.
    case script(Handler, FeatureNode?, HandlerContext)
    case host(Reducer.ChangeBody)
  }

  private let subject: Subject
  private let reaction: Reaction

  init(base: ReducerNode, subject: Subject, reaction: Reaction, origin: String) {
    self.subject = subject
    self.reaction = reaction
    let name: String
    switch reaction {
    case .script(_, _, let caller): name = caller.name
    case .host: name = base.firstFeature?.feature ?? origin
    }
    super.init(base, origin: origin, feature: name)
  }

  override func reduce(
    _ context: ReduceContext, _ draft: Int32, _ action: borrowing ActionCursor
  ) throws(ScriptError) -> ReturnedEffects {
    let old = try watchedValue(context, draft)
    defer { old.release() }
    let effect = try base.reduce(context, draft, action)
    let new = try watchedValue(context, draft)
    defer { new.release() }
    if Slot.equal(old, new) { return effect }
    return effect.followed(by: try react(context, draft, from: old, to: new, action.slot))
  }

  override var ownTraits: Traits { .reacts }

  override func react(
    _ context: ReduceContext, _ draft: Int32, old: Slot, _ action: Slot
  ) throws(ScriptError) -> ReturnedEffects {
    let effect = try super.react(context, draft, old: old, action)
    guard let reactions = context.reactions, mayHearOfShared(context, draft) else { return effect }
    let known = reactions.lastValue(of: self, context.elementPathHash)?.retained()
    let before =
      if let known {
        known
      } else if old.isAbsent {
        Slot.absent
      } else {
        try watchedValue(context, .view(old), in: old)
      }
    defer { before.release() }
    let new = try watchedValue(context, draft)
    defer { new.release() }
    // A child that came with this action has no value of before.
    if Slot.equal(before, new) || known == nil && old.isAbsent { return effect }
    return effect.followed(by: try react(context, draft, from: before, to: new, action))
  }

  /// Whether the compared value may be, or have, a shared value.
  private func mayHearOfShared(_ context: ReduceContext, _ draft: Int32) -> Bool {
    guard case .path(let access) = subject else { return true }
    return context.arena.pointee.mayShare(draft, access.keys)
  }

  private func watchedValue(_ context: ReduceContext, _ draft: Int32) throws(ScriptError) -> Slot {
    try watchedValue(context, .draft(draft), in: try context.currentValue(of: draft))
  }

  /// The compared value in a state (+0), owned (+1); absent if it is not there. `argument` is the state as a script gets it.
  private func watchedValue(
    _ context: ReduceContext, _ argument: HandlerArgument,
    in state: @autoclosure () throws(ScriptError) -> Slot
  ) throws(ScriptError) -> Slot {
    switch subject {
    case .path(let access): return access.childState(in: try state()).retained()
    case .script(let function, let owner):
      context.currentNode = Unmanaged.passUnretained(self)
      return try context.vm.evaluate(function, [argument], owner: owner)
    case .host(let function): return function(Value(borrowing: try state())).ownedSlot()
    }
  }

  private func react(
    _ context: ReduceContext, _ draft: Int32, from old: Slot, to new: Slot, _ action: Slot
  ) throws(ScriptError) -> ReturnedEffects {
    let effect: ReturnedEffects
    switch reaction {
    case .script(let handler, let feature, let caller):
      effect = try (feature ?? self).call(
        handler, [.draft(draft), .view(old), .view(new), .view(action)], keeping: [old, new],
        for: caller, context)
    case .host(let body):
      let (old, new) = (Value(ifPresent: old) ?? .null, Value(ifPresent: new) ?? .null)
      let action = Action(trusted: Value(borrowing: action))
      effect = try reduceInSwift(context, draft) { state in try body(&state, old, new, action) }
    }
    if let reactions = context.reactions {
      reactions.record(try watchedValue(context, draft), of: self, context.elementPathHash)
    }
    return effect
  }

  override var outline: NodeOutline {
    var outline = NodeOutline(kind: "onChange")
    if case .path(let access) = subject { outline.key = access.key }
    return outline
  }
}
