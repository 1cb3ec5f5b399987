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

  private func warning(_ outcome: String) -> RuntimeWarning {
    RuntimeWarning(
      kind: .memoryFull,
      message: "the scripts keep nearly all the memory that they may have, in locals of modules or "
        + "globals: \(outcome)",
      origin: "Limits.memory", action: nil)
  }
}
