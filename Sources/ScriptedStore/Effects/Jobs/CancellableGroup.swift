import ScriptValue

/// Jobs that can be cancelled together by an id.
class CancellableGroup: JobGroup {
  init(_ id: Value?, at place: EffectPlace, of effects: StoreEffects) {
    super.init(at: place, id: id, of: effects)
  }
}
