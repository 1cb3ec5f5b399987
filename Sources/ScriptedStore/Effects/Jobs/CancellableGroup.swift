import LuaBridge

/// Jobs that can be cancelled together by an id.
class CancellableGroup: JobGroup {
  let effects: StoreEffects

  init(_ id: Value?, at place: EffectPlace, of effects: StoreEffects) {
    self.effects = effects
    super.init(at: place, id: id, effects.runner.makeSerial())
  }

  override func endedAlone() { effects.ended(self, []) }
}
