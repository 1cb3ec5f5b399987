import LuaBridge

extension Engine {
  /// Scripts were stopped for want of memory: when they have ended it is known what they keep.
  func lookAtMemory() {
    if session == nil { link.submit { $0.replaceFullVM() } }
  }

  /// Puts the same scripts into a VM of their own where they keep so much that hardly any action could run any more. What they
  /// kept is gone, as it is by a reload; states never were in the VM, and effects in flight end in the old one.
  private func replaceFullVM() {
    guard context.vm.isFull && session == nil else { return }
    let loaded = loadedScripts
    do throws(ScriptError) {
      let build = try GenerationBuild(
        current.number, of: loaded, ScriptTexts(of: loaded.scripts.values), root: root,
        configuration: configuration)
      if let error = build.errors.first { throw error }
      let prepared = try prepare(build)
      _ = commit(prepared, affected: [])
      report([warning("they were loaded anew, and what they kept is gone")])
    } catch {
      context.vm.isFull = false
      report([warning("they cannot be loaded anew: \(error)")])
    }
  }

  /// Cancels effects of old scripts, the oldest first, while all VMs hold more than `Limits.totalMemory`.
  func cancelOldest() {
    guard let most = configuration.limits.totalMemory else { return }
    // VMs without an effect in flight are closed in a moment.
    let waiting = retired.filter { !$0.isOver }
    var held = waiting.reduce(current.vm.memory.used) { $0 + $1.memory }
    for old in waiting where held > most {
      held -= old.memory
      for effects in cores.compactMap(\.effects) {
        for job in effects.places.jobs where old.isNeeded(by: job) {
          effects.inTurn(of: job.origin) { job.cancel() }
        }
      }
      report([
        RuntimeWarning(
          kind: .memoryFull,
          message: """
            the VMs from before the last reloads hold more than \(most) bytes, because effects of theirs are in flight: the \
            oldest of these are cancelled
            """,
          origin: "Limits.totalMemory", action: nil)
      ])
    }
  }

  private func warning(_ outcome: String) -> RuntimeWarning {
    RuntimeWarning(
      kind: .memoryFull,
      message: "the scripts keep nearly all the memory that they may have, in locals of modules or "
        + "globals: \(outcome)",
      origin: "Limits.memory", action: nil)
  }
}
