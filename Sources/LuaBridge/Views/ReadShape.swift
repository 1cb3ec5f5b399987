import ScriptValue

/// Which parts of its arguments a view has read, without their values: so all rows that read the same fields
/// have one shape.
///
/// ``isUnchanged(from:to:)`` answers whether the view would read the same from other arguments.
package final class ReadShape {
  /// One read: a container, and the key under which the view has read in it.
  struct Step {
    enum Kind {
      /// A container that was read from. It has to be a container still.
      case container
      /// A container of which any change counts.
      case whole
      /// A scalar, or a key that is not there.
      case leaf
      /// The number of elements.
      case length
    }

    /// The index of the step of the container; negative for an argument.
    let parent: Int
    let key: StepKey
    let kind: Kind

    static var state: Int { -1 }
    static var environment: Int { -2 }
  }

  /// In an order in which a container comes before the steps from it.
  let steps: [Step]

  init(_ steps: [Step]) { self.steps = steps }

  /// Nothing was read.
  package convenience init() { self.init([]) }

  /// Whether `new` has at each step what `old` has there. The cost is that of the steps below what differs.
  package func isUnchanged(from old: ViewArguments, to new: ViewArguments) -> Bool {
    withUnsafeTemporaryAllocation(of: (old: Slot, new: Slot).self, capacity: steps.count) { known in
      for (index, step) in steps.enumerated() {
        let (before, after): (Slot, Slot) =
          switch step.parent {
          case Step.state: (old.state, new.state)
          case Step.environment: (old.environment, new.environment)
          default: known[step.parent]
          }
        if before.isIdentical(to: after) {
          known[index] = (.absent, .absent)
          continue
        }
        known[index] = (step.key.value(in: before), step.key.value(in: after))
        let isSame =
          switch step.kind {
          case .container: known[index].new.isContainer
          case .whole, .leaf: known[index].old.isSame(as: known[index].new)
          case .length: PersistentList.count(before) == PersistentList.count(after)
          }
        if !isSame { return false }
      }
      return true
    }
  }
}

/// The key of a step.
final class StepKey {
  enum Kind: Equatable {
    /// A key of an object, which is in `name`.
    case name
    /// An index of a list, from 0.
    case index(Int)
    /// The container itself.
    case itself
  }

  let kind: Kind
  /// The name; empty for other kinds.
  let name: FieldKey

  init(name: UnsafeRawBufferPointer) {
    kind = .name
    self.name = FieldKey(String(decoding: name, as: UTF8.self), sizeBits: 2)
  }

  init(_ kind: Kind) {
    self.kind = kind
    name = FieldKey("", sizeBits: 0)
  }

  /// What a container (+0) has there, borrowed (+0).
  @inline(__always)
  func value(in container: Slot) -> Slot {
    switch kind {
    case .name: return name.value(in: container)
    case .itself: return container
    case .index(let index):
      guard container.tag == .list, index < PersistentList.count(container) else { return .absent }
      return PersistentList(borrowing: container).borrow(index)
    }
  }
}

extension Slot {
  /// Whether two values (+0) read the same: containers must be one node, and `1` is not `1.0`, because they
  /// print differently.
  @inline(__always)
  package func isSame(as other: Slot) -> Bool {
    isIdentical(to: other)
      || tag == .string && other.tag == .string
        && UTF8Text.equals(stringBytes, other.stringBytes)
  }
}
