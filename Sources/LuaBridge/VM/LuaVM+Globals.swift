import CLua

/// The globals of scripts.
///
/// Each chunk that is loaded without an environment gets one of its own, and so does each module: a
/// fresh set of the sandbox's globals and of the host's. What one script writes into `string`, or
/// into its globals, no other script sees.
extension LuaVM {
  /// A new environment, for `load`: a table with the globals and library
  /// tables of the sandbox, and those of the host. Chunks with the same environment share their
  /// globals.
  ///
  /// - Parameter declaringGlobals: whether scripts may assign to globals that do not exist. If not,
  ///   that is an error, as a `local` may have been forgotten or a name misspelt.
  public func makeEnvironment(declaringGlobals: Bool = false) throws(ScriptError) -> LuaTable {
    let environment = LuaTable(vm: self, slot: try reference { sl_new_environment(core, &$0) })
    if declaringGlobals { try allowGlobals(in: environment) }
    return environment
  }

  /// Lets scripts declare globals in an environment.
  package func allowGlobals(in environment: LuaTable) throws(ScriptError) {
    try check(sl_allow_globals(core, environment.slot))
  }

  /// The globals of the host, which each environment gets that is made from now on. They are copied
  /// then: an environment does not see what changes here later.
  public var globals: LuaTable {
    get throws(ScriptError) {
      LuaTable(vm: self, slot: try reference { sl_shared_globals(core, &$0) })
    }
  }

  /// Sets a global of the host, for the scripts that are loaded from now on. A nil value removes
  /// it.
  ///
  /// ```swift
  /// try lua.setGlobal("version", to: 3)
  /// try lua.setGlobal("double", to: lua.function("double") { (n: Int) in 2 * n })
  /// try lua.evaluate("return double(version)", as: Int.self)  // 6
  /// ```
  ///
  /// A table is the same one in all environments, so scripts can pass each other values through it.
  public func setGlobal<T: Encodable>(_ name: String, to value: T) throws(ScriptError) {
    try globals.set(.string(name), to: value)
  }
}
