import LuaBridge
import Observation

/// A part of the state that was read on the main actor: its value, and the registrar of its trackers.
final class ObservedPart: Observable {
  /// What can be read of a value. A change tells only the readers of what has changed.
  struct Aspect: OptionSet {
    let rawValue: UInt8

    /// All of the value.
    static let whole = Aspect(rawValue: 1)
    /// The number of elements.
    static let count = Aspect(rawValue: 2)
    /// The ids of the elements, in their order.
    static let order = Aspect(rawValue: 4)
    /// Whether there is a value.
    static let presence = Aspect(rawValue: 8)
  }

  private(set) var value: Value
  /// What was read since it changed last.
  private var read: Aspect = []
  /// The field of the ids whose order was read.
  private var idField = "id"
  private lazy var registrar = ObservationRegistrar()

  init(_ value: Value) { self.value = value }

  /// Whether no one can be told of a change: nothing was read since the last one.
  var isIdle: Bool { read.isEmpty }

  func didRead(_ aspect: Aspect) {
    read.insert(aspect)
    switch aspect {
    case .count: registrar.access(self, keyPath: \.count)
    case .order: registrar.access(self, keyPath: \.order)
    case .presence: registrar.access(self, keyPath: \.presence)
    default: registrar.access(self, keyPath: \.value)
    }
  }

  /// The ids of the elements were read.
  func didReadOrder(under field: String) {
    idField = field
    didRead(.order)
  }

  /// What those who have read hear of a change to another value (+0).
  func aspects(changedTo new: Slot) -> Aspect {
    guard !read.isEmpty else { return [] }
    let new = Value(borrowing: new)
    guard new != value else { return [] }
    var changed: Aspect = .whole
    if read.contains(.count), (new.array?.count ?? 0) != count { changed.insert(.count) }
    if read.contains(.presence), new.isNull != value.isNull { changed.insert(.presence) }
    if read.contains(.order), !value.hasSameIDs(as: new, under: idField) { changed.insert(.order) }
    return changed.intersection(read)
  }

  func willChange(_ aspects: Aspect) {
    // A tracker that reads the part again in its `onChange` closure is told of the next change, too.
    read.subtract(aspects)
    if aspects.contains(.whole) { registrar.willSet(self, keyPath: \.value) }
    if aspects.contains(.count) { registrar.willSet(self, keyPath: \.count) }
    if aspects.contains(.order) { registrar.willSet(self, keyPath: \.order) }
    if aspects.contains(.presence) { registrar.willSet(self, keyPath: \.presence) }
  }

  func change(to new: Value) { value = new }

  func didChange(_ aspects: Aspect) {
    if aspects.contains(.whole) { registrar.didSet(self, keyPath: \.value) }
    if aspects.contains(.count) { registrar.didSet(self, keyPath: \.count) }
    if aspects.contains(.order) { registrar.didSet(self, keyPath: \.order) }
    if aspects.contains(.presence) { registrar.didSet(self, keyPath: \.presence) }
  }

  var count: Int { value.array?.count ?? 0 }
  /// Only for the key paths.
  private var order: Value { value }
  private var presence: Bool { !value.isNull }
}
