import LuaBridge

extension Engine {
  /// Loads the same scripts into a new VM if they retain so much memory that hardly any action
  /// could run. What they retained is lost, as in a reload. States are not affected, because they
  /// are outside of the VM. Effects in flight end in the old VM.
  func replaceFullVM() {
    guard context.vm.isFull && tests == nil else { return }
    let loaded = loadedScripts
    do throws(ScriptError) {
      let build = try GenerationBuild(
        current.number, of: loaded, ScriptTexts(of: loaded.scripts.values), root: root,
        configuration: configuration)
      if let error = build.errors.first { throw error }
      let prepared = try prepare(build)
      _ = install(prepared, affected: [])
      report([warning("they were loaded anew, and what they kept is gone")])
    } catch {
      context.vm.forgetIsFull()
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
