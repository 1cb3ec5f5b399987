import ScriptValue

/// Makes shapes of what views have read. Most views read the same as they did before, or as the row before them did, so
/// that no shape has to be made.
package struct ReadShapes: ~Copyable {
  private var keys: [[UInt8]: StepKey] = [:]
  private var indices: [Int: StepKey] = [:]
  private let itself = StepKey(.itself)
  /// Keys are retained: a script that reads ever new names would pile them up.
  private static let limit = 4096
  /// For each container of the record, the index of its step. Stored here, so that its memory is used again.
  private var stepOf: [Int] = []
  /// Stands for the step of a container in a whole one, below which nothing is recorded.
  private static let skipped = Int.min

  /// One step of a record.
  private struct Read {
    /// The index of the step of the container.
    let parent: Int
    let key: ReadTrace.Key
    /// The container (+0) that has the key.
    let container: Slot
    let kind: ReadShape.Step.Kind
  }

  package init() {}

  /// The shape of a record: one of `candidates` if it equals that, else a new one.
  mutating func shape(of trace: borrowing ReadTrace, among candidates: [ReadShape]) -> ReadShape {
    for candidate in candidates where isShape(candidate, trace) { return candidate }
    var steps: [ReadShape.Step] = []
    visitSteps(of: trace) { shapes, read in
      let key = shapes.key(read.key, of: read.container, trace)
      steps.append(.init(parent: read.parent, key: key, kind: read.kind))
      return true
    }
    return ReadShape(steps)
  }

  private mutating func isShape(_ shape: ReadShape, _ trace: borrowing ReadTrace) -> Bool {
    var index = 0
    let isSame = visitSteps(of: trace) { _, read in
      guard index < shape.steps.count else { return false }
      let step = shape.steps[index]
      index += 1
      return step.parent == read.parent && step.kind == read.kind
        && step.key.isKey(read.key, of: read.container, trace)
    }
    return isSame && index == shape.steps.count
  }

  /// Calls `body` with each step of a record, until it returns false. Returns whether it was called with all.
  @discardableResult
  private mutating func visitSteps(
    of trace: borrowing ReadTrace,
    _ body: (inout ReadShapes, Read) -> Bool
  ) -> Bool {
    stepOf.removeAll(keepingCapacity: true)
    var count = 0
    for (index, container) in trace.containers.enumerated() {
      let kind = container.isWhole ? ReadShape.Step.Kind.whole : .container
      if index < 2 {
        let argument = index == 0 ? ReadShape.Step.state : ReadShape.Step.environment
        stepOf.append(container.isWhole ? ReadShapes.skipped : argument)
        guard container.isWhole else { continue }
        let read = Read(parent: argument, key: .argument, container: container.slot, kind: .whole)
        guard body(&self, read) else { return false }
        count += 1
        continue
      }
      let parent = container.parent == 0 ? ReadShapes.skipped : stepOf[Int(container.parent) - 1]
      guard parent != ReadShapes.skipped else {
        stepOf.append(ReadShapes.skipped)
        continue
      }
      let owner = trace.containers[Int(container.parent) - 1].slot
      let read = Read(parent: parent, key: container.key, container: owner, kind: kind)
      guard body(&self, read) else { return false }
      stepOf.append(container.isWhole ? ReadShapes.skipped : count)
      count += 1
    }
    for leaf in trace.leaves {
      let parent = stepOf[Int(leaf.container) - 1]
      if parent == ReadShapes.skipped { continue }
      let kind: ReadShape.Step.Kind = if case .length = leaf.key { .length } else { .leaf }
      let owner = trace.containers[Int(leaf.container) - 1].slot
      let read = Read(parent: parent, key: leaf.key, container: owner, kind: kind)
      guard body(&self, read) else { return false }
    }
    return true
  }

  private mutating func key(
    _ key: ReadTrace.Key, of container: Slot, _ trace: borrowing ReadTrace
  ) -> StepKey {
    if keys.count + indices.count > ReadShapes.limit {
      keys.removeAll()
      indices.removeAll()
    }
    switch key {
    case .position(let position):
      return self.key(named: ObjectTree(borrowing: container).keySlot(position).stringBytes)
    case .name(let index):
      return trace.names[index].bytes.withUnsafeBytes { self.key(named: $0) }
    case .index(let index):
      if let known = indices[index] { return known }
      let new = StepKey(.index(index))
      indices[index] = new
      return new
    case .length, .argument, .row: return itself
    }
  }

  private mutating func key(named name: UnsafeRawBufferPointer) -> StepKey {
    let bytes = Array(name)
    if let known = keys[bytes] { return known }
    let new = StepKey(name: name)
    keys[bytes] = new
    return new
  }
}

extension StepKey {
  /// Whether this is a key by which a view has read a container (+0).
  fileprivate func isKey(
    _ key: ReadTrace.Key, of container: Slot, _ trace: borrowing ReadTrace
  ) -> Bool {
    switch key {
    case .position(let position):
      kind == .name && name.position(in: container) == position
    case .name(let index):
      kind == .name && trace.names[index].bytes.withUnsafeBytes { UTF8Text.equals(name.bytes, $0) }
    case .index(let index): kind == .index(index)
    case .length, .argument, .row: kind == .itself
    }
  }
}

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
    case .index(let index): return container.element(index)
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
