import CLua

/// Releases of what Lua and Swift hold of each other, at times when that is safe.
extension LuaVM {
  /// Retains a value until the trampoline has taken the results of a host function.
  func retainUntilPushed(_ value: Any) { released.pointee.retain(value) }

  /// Does what must wait until no values are on the tape or on `results`. Collects the garbage of a
  /// turn that ended for lack of memory, and releases the host's objects that Lua no longer holds,
  /// whose `deinit`s may call this VM.
  @inline(__always)
  func releaseDeferred() {
    if released.pointee.hasSome || core.pointee.memory.owes_collection { releaseAllDeferred() }
  }

  func releaseAllDeferred() {
    // A `deinit` that calls this VM must not release again, or many of them would nest. What it
    // leaves is released the next time.
    guard !isReleasingDeferred else { return }
    isReleasingDeferred = true
    defer { isReleasingDeferred = false }
    let isOwed = core.pointee.memory.owes_collection
    sl_collect_owed(core)
    var objects: [Unmanaged<AnyObject>] = []
    swap(&objects, &spareObjects)
    let retained = released.pointee.takeAll(into: &objects)
    for object in objects { object.release() }
    withExtendedLifetime(retained) {}
    objects.removeAll(keepingCapacity: objects.capacity <= 1024)
    spareObjects = objects
    if isOwed {
      takeReturned()
      sl_update_is_full(core)
    }
  }

  /// Records a registry reference (owned) for a later release. Safe while Lua collects garbage.
  func releaseLater(_ reference: Int32) { pendingReleases.add(reference) }

  @inline(__always)
  func releasePending() {
    if !pendingReleases.isEmpty { releaseAllPending() }
  }

  private func releaseAllPending() {
    var references: [Int32] = []
    swap(&references, &spareReferences)
    pendingReleases.takeAll(into: &references)
    for reference in references { sl_release(core, reference) }
    references.removeAll(keepingCapacity: references.capacity <= 1024)
    spareReferences = references
  }
}
