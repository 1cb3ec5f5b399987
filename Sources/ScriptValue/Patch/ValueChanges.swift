/// The paths at which two values differ, so that a tree of the newer value can mark them. It is made
/// from the difference of the values, so its cost is in proportion to the number of changes.
package struct ValueChanges: Sendable, Hashable {
  package enum Mark: String, Sendable {
    case added
    case changed
    /// A part of the value has changed, or was removed.
    case inside
  }

  /// What has happened to the value itself; nil if it is as before.
  package private(set) var mark: Mark?
  private var members: [TextKey: ValueChanges] = [:]

  package static let none = ValueChanges()

  private init() {}

  package init(from old: Value, to new: Value) {
    // A path refers to the value after the operations before it. Operations on a list come in the order of its elements,
    // so that none moves an element that an earlier one has named.
    for operation in JSONPatch.luaDiff(from: old, to: new).operations {
      switch operation {
      case .add(let path, _): set(.added, at: path.tokens[...])
      case .replace(let path, _): set(.changed, at: path.tokens[...])
      case .remove(let path): set(.inside, at: path.tokens.dropLast())
      case .move, .copy, .test: break
      }
    }
  }

  private mutating func set(_ mark: Mark, at tokens: ArraySlice<String>) {
    guard let token = tokens.first else {
      self.mark = self.mark ?? mark
      return
    }
    self.mark = self.mark ?? .inside
    members[TextKey(token), default: ValueChanges()].set(mark, at: tokens.dropFirst())
  }

  /// What has changed in a member; ``none`` for nothing.
  package subscript(component: ValuePath.Component) -> ValueChanges {
    switch component {
    case .key(let key): members[TextKey(key)] ?? .none
    case .index(let index): members[TextKey(String(index))] ?? .none
    }
  }

  package subscript(path: ValuePath) -> ValueChanges {
    path.components.reduce(self) { $0[$1] }
  }

  /// The members that are in a value and have changed, in order. Costs the changed members.
  package func components(in value: Value) -> [ValuePath.Component] {
    let keys = members.keys.map(\.text)
    if value.array != nil { return keys.compactMap(Int.init).sorted().map { .index($0) } }
    guard let object = value.object else { return [] }
    return keys.filter { object[$0] != nil }.sorted().map { .key($0) }
  }
}
