import ScriptValue

extension Value {
  /// An object with a sorted array for each set, sorted by name.
  init(sets: [String: Set<String>]) {
    self = .object(
      Value.Object(
        sets.sorted { $0.key < $1.key }.map { name, texts in
          (name, .array(Value.List(texts.sorted().map { .string($0) })))
        }))
  }
}
