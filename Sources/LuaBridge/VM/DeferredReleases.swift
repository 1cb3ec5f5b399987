/// Swift objects that wait to be released at a safe time: the `deinit` of a host's object may call
/// the VM, which must not happen while Lua collects garbage or while values are on a tape. Used
/// only by the thread that uses the VM.
struct DeferredReleases {
  /// Whether an object waits.
  private(set) var hasSome = false
  /// Objects (+1) whose boxes Lua has collected.
  private var collected: [Unmanaged<AnyObject>] = []
  /// Objects among the results of a host function, and errors that one has thrown. It may be that
  /// nothing else retains them until the trampoline has pushed them.
  private var retained: [Any] = []

  /// Adds an object and consumes one reference (+1) to it.
  mutating func add(_ object: Unmanaged<AnyObject>) {
    hasSome = true
    collected.append(object)
  }

  /// Retains a value until the next ``takeAll(into:)``.
  mutating func retain(_ value: Any) {
    hasSome = true
    retained.append(value)
  }

  /// Returns the retained values, and swaps the collected objects with an empty array, whose
  /// capacity is reused.
  mutating func takeAll(into empty: inout [Unmanaged<AnyObject>]) -> [Any] {
    hasSome = false
    swap(&collected, &empty)
    defer { retained = [] }
    return retained
  }
}
