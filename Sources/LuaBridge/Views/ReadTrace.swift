import CLua
import ScriptValue

/// What a running view reads of its arguments: of its state and its environment.
///
/// A view that is passed to Lua carries the number of its container here (`sl_ref.slot`). So each read
/// finds the container that it reads from, and the path on which the view got there.
///
/// ```
///   state (1) ── todos (3) ── 1 (4) ── title: read          a leaf
///         └───── filter: read                               a leaf
///   env (2)
/// ```
///
/// Invariants:
/// 1. Containers 1 and 2 are the arguments. Each other container has a parent with a lower number.
/// 2. Everything that the view depends on is a leaf, a container with `isWhole`, or the fact that a
///    container is there.
/// 3. What is read below a container with `isWhole` is not recorded: if anything there changes, the
///    container is another one.
package struct ReadTrace: ~Copyable {
  struct Container {
    /// Borrowed (+0) from the arguments, which the caller retains.
    let slot: Slot
    /// The number of the parent; 0 for an argument.
    let parent: UInt32
    let key: Key
    /// Any change of the container counts, because the view has read all of it, or its identity.
    var isWhole = false
    /// The newest container below this one, and the next older one with the same parent; 0 for none.
    var newestChild: UInt32 = 0
    var older: UInt32 = 0
    /// The positions below 64 that were read, as bits, so that a second read costs a test.
    var positions: UInt64 = 0
    /// The newest of the names below that the container does not have, as an index plus 1; 0 for none.
    var newestName = 0
    /// Whether the number of elements was read.
    var hasReadLength = false
    /// How many leaves and children were recorded.
    var reads = 0
  }

  /// A key by which a view has read a container.
  enum Key {
    /// The position of a key of an object.
    case position(Int)
    /// An index of a list, from 0.
    case index(Int)
    /// A name that the container does not have: an index into `names`.
    case name(Int)
    /// The number of elements.
    case length
    /// An argument: there is no container around it.
    case argument
    /// The element of a row, of which nothing has to be recorded: the row runs again if it is another element. Only the paths
    /// below it are of interest.
    case row
  }

  struct Leaf {
    let container: UInt32
    let key: Key
  }

  /// A name that a container does not have.
  struct AbsentName {
    let bytes: [UInt8]
    /// The next older one of the same container, as an index plus 1; 0 for none.
    let older: Int
  }

  /// A container of which more was read counts as a whole one: comparing that much would cost more than it
  /// saves.
  static let manyReads = 48

  private(set) var containers: [Container] = []
  private(set) var leaves: [Leaf] = []
  private(set) var names: [AbsentName] = []

  /// The numbers of the arguments.
  static var state: UInt32 { 1 }
  static var environment: UInt32 { 2 }

  package init() {}

  /// Begins the record of a view with these arguments. The caller retains them until the record has become a
  /// ``ReadShape``.
  mutating func begin(_ arguments: ViewArguments) {
    end()
    containers.append(Container(slot: arguments.state, parent: 0, key: .argument))
    containers.append(Container(slot: arguments.environment, parent: 0, key: .argument))
  }

  /// Adds the element of a row (+0). Returns its number.
  mutating func addRow(_ element: Slot) -> UInt32 {
    containers.append(Container(slot: element, parent: 0, key: .row))
    return UInt32(containers.count)
  }

  mutating func end() {
    containers.removeAll(keepingCapacity: true)
    leaves.removeAll(keepingCapacity: true)
    names.removeAll(keepingCapacity: true)
  }

  /// The environment of the view that runs, borrowed (+0).
  var environmentOfView: Slot { isActive ? containers[Int(ReadTrace.environment) - 1].slot : .null }

  /// Whether a view runs.
  var isActive: Bool { !containers.isEmpty }

  /// Whether `number` is that of a container. False for a view that a script kept from an earlier record.
  @inline(__always)
  func has(_ number: UInt32) -> Bool { number > 0 && number <= containers.count }

  @inline(__always)
  private mutating func withContainer<R>(
    _ number: UInt32, _ body: (inout Container) -> R
  ) -> R {
    body(&containers[Int(number) - 1])
  }

  func isWhole(_ number: UInt32) -> Bool { containers[Int(number) - 1].isWhole }

  /// Records that the view depends on all of the container.
  mutating func readWhole(_ number: UInt32) { containers[Int(number) - 1].isWhole = true }

  /// Records that the view has captured all of the container. Returns whether it is an argument, which is
  /// not recorded: what the view's functions read of it is recorded when they run.
  mutating func capture(_ number: UInt32) -> Bool {
    if number <= ReadTrace.environment { return true }
    readWhole(number)
    return false
  }

  /// Records the read of a scalar at a position, or of an index that the list does not have.
  @inline(__always)
  mutating func readLeaf(_ number: UInt32, _ key: Key) {
    guard !withContainer(number, { $0.isWhole || $0.hasRead(key) }) else { return }
    addLeaf(number, key)
  }

  /// Records that the container has no key with this name.
  mutating func readAbsent(_ number: UInt32, _ name: UnsafeRawBufferPointer) {
    guard !isWhole(number) else { return }
    let newest = containers[Int(number) - 1].newestName
    var known = newest
    while known > 0 {
      if name.elementsEqual(names[known - 1].bytes) { return }
      known = names[known - 1].older
    }
    names.append(AbsentName(bytes: Array(name), older: newest))
    containers[Int(number) - 1].newestName = names.count
    addLeaf(number, .name(names.count - 1))
  }

  mutating func readLength(_ number: UInt32) {
    guard !isWhole(number), !containers[Int(number) - 1].hasReadLength else { return }
    containers[Int(number) - 1].hasReadLength = true
    addLeaf(number, .length)
  }

  private mutating func addLeaf(_ number: UInt32, _ key: Key) {
    if withContainer(number, { $0.countRead(key) }) { return }
    leaves.append(Leaf(container: number, key: key))
  }

  /// The number of the container (+0) at a key of another one, which is recorded as read from; 0 if nothing
  /// has to be recorded below.
  @inline(__always)
  mutating func child(of number: UInt32, _ key: Key, _ slot: Slot) -> UInt32 {
    if isWhole(number) { return 0 }
    if withContainer(number, { $0.hasRead(key) }) {
      var child = containers[Int(number) - 1].newestChild
      while child != 0 {
        if containers[Int(child) - 1].key.isSame(as: key) { return child }
        child = containers[Int(child) - 1].older
      }
    }
    return addChild(of: number, key, slot)
  }

  private mutating func addChild(of number: UInt32, _ key: Key, _ slot: Slot) -> UInt32 {
    if withContainer(number, { $0.countRead(key) }) { return 0 }
    var new = Container(slot: slot, parent: number, key: key)
    new.older = containers[Int(number) - 1].newestChild
    containers.append(new)
    let child = UInt32(containers.count)
    withContainer(number) { $0.newestChild = child }
    return child
  }
}

extension ReadTrace.Container {
  /// Whether a key was read before. False if that is unknown.
  @inline(__always)
  fileprivate func hasRead(_ key: ReadTrace.Key) -> Bool {
    guard let bit = key.bit else { return false }
    return positions & (1 << bit) != 0
  }

  /// Counts a read. Returns whether the container counts as a whole one from now on.
  @inline(__always)
  fileprivate mutating func countRead(_ key: ReadTrace.Key) -> Bool {
    if let bit = key.bit { positions |= 1 << bit }
    reads += 1
    if reads > ReadTrace.manyReads { isWhole = true }
    return isWhole
  }
}

extension ReadTrace.Key {
  /// The number of a position or index below 64.
  @inline(__always)
  fileprivate var bit: UInt64? {
    switch self {
    case .position(let position) where position < 64: UInt64(position)
    case .index(let index) where index < 64: UInt64(index)
    default: nil
    }
  }

  @inline(__always)
  fileprivate func isSame(as other: ReadTrace.Key) -> Bool {
    switch (self, other) {
    case (.position(let a), .position(let b)), (.index(let a), .index(let b)): a == b
    default: false
    }
  }
}
