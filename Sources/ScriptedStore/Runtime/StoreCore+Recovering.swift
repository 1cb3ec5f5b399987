import LuaBridge

/// What becomes of a store whose process is lost, and comes back: its transient fields have their defaults, no effect is in
/// flight, and the places that had some hear of that by the action `recovered`. Alarms stay, as data does.
extension StoreCore {
  /// A state of the store (+0) with the default in each transient field, owned (+1); nil if it stays as it is. Runs no
  /// script. Costs nothing if no feature has such fields, else O(elements with such fields).
  func withoutTransients(_ state: Slot, _ engine: Engine) throws(ScriptError) -> Slot? {
    guard domain.root.traits.contains(.forgets) else { return nil }
    let context = engine.context
    context.begin(.absent, indexes, .passUnretained(dependencies))
    let walk = StateWalk(.forgets, context, shared: sharing?.fields)
    guard var new = try domain.root.walk(walk, state) else { return nil }
    // A default may have what has to be brought into its final form.
    guard domain.root.settles else { return new }
    do throws(ScriptError) {
      try settle(&new, from: state, domain, context)
    } catch {
      indexes.stacks.rollBack()
      throw error
    }
    indexes.stacks.commit()
    return new
  }

  /// Does to the state and the effects what the end of the process does. Effects are cancelled; what their functions still
  /// send is dropped.
  ///
  /// - Returns: the effects that were in flight at places that are still there.
  func lose(_ engine: Engine) throws(ScriptError) -> [LostEffect] {
    if let new = try withoutTransients(root, engine) {
      replaceState(by: new, warns: true, engine)
      new.release()
    }
    let lost = (effects?.descriptions ?? []).map {
      LostEffect(place: $0.place, origin: $0.origin, id: $0.id)
    }
    effects?.places.cancelJobs()
    return lost
  }

  /// Sends `recovered` to each place with an effect among these, if a handler there takes it and the place is in the state,
  /// in one drain. Effects that the handlers return are started.
  func recover(effects lost: [LostEffect], _ engine: Engine) {
    let actions = recoveries(of: lost, engine)
    guard !actions.isEmpty else { return }
    turn.asPart(of: nil) {
      inDrain(engine) {
        var changed = false
        for action in actions {
          changed = reduce(action, nil, .input, engine) || changed
          if turn.hasQueue { changed = drain(engine) || changed }
        }
        return changed
      }
    }
    turn.end()
  }

  /// The actions for the places of effects, in the order in which the first effect of each was started.
  private func recoveries(of lost: [LostEffect], _ engine: Engine) -> [Action] {
    var places: [String] = []
    var effects: [String: [Value]] = [:]
    for effect in lost {
      if effects[effect.place] == nil { places.append(effect.place) }
      effects[effect.place, default: []].append(effect.inAction)
    }
    engine.context.begin(.absent, indexes, .passUnretained(dependencies))
    return places.compactMap { place in
      let path = place.isEmpty ? "recovered" : "\(place).recovered"
      let payload: Value = ["effects": .array(Value.List(effects[place] ?? []))]
      guard let segments = try? ActionPath(path).segments,
        domain.takesRecovery(segments.dropLast(), root, engine.context)
      else { return nil }
      return try? Action(path: path, payload: payload)
    }
  }
}

extension Domain {
  /// Whether `path`, from a place of this domain with a state (+0), leads to a place that is in that state and handles
  /// `recovered`.
  fileprivate func takesRecovery(
    _ path: ArraySlice<ActionPath.Segment>, _ state: Slot, _ context: ReduceContext
  ) -> Bool {
    guard let segment = path.first else { return vocabulary.handles("recovered") }
    guard let child = root.child(named: segment.name), let domain = child.domain.domainOrNil
    else { return false }
    var takes = false
    child.withState(at: segment.step.id, in: state, context) { found in
      takes = domain.takesRecovery(path.dropFirst(), found, context)
    }
    return takes
  }
}

extension NodeChild {
  /// Calls `body` with the state of the child, or that of its element with a key, borrowed (+0), if it is in a state of the
  /// operator (+0).
  fileprivate final func withState(
    at key: Value?, in state: Slot, _ context: ReduceContext, _ body: (Slot) -> Void
  ) {
    guard !(self is NodeElements) else {
      return withState(of: ChildPlace(self, key: key), in: state, context, body)
    }
    self.state.withChildState(in: state, context) { found in
      if let found, found.isContainer { body(found) }
    }
  }
}

/// An effect that was in flight when the process was lost.
struct LostEffect: Sendable {
  /// As in the paths of actions; empty for the root.
  let place: String
  /// The script line of its function.
  let origin: String
  let id: Value?

  /// As handlers of `recovered` get it.
  fileprivate var inAction: Value {
    var object: Value.Object = ["origin": .string(origin)]
    object["id"] = id
    return .object(object)
  }
}
