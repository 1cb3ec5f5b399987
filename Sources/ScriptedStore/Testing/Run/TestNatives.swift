import LuaBridge

/// What the test framework in Lua is given by Swift and C.
enum TestNatives {
  /// Adds them to the table that its chunks get.
  static func add(to natives: LuaTable, of vm: LuaVM) throws(ScriptError) {
    func define(_ name: String, _ body: @escaping HostBody) throws(ScriptError) {
      try natives.set(.string(name), to: .function(try vm.makeFunction(name, body)))
    }
    // format(value): its text in Lua syntax; nil for what is no value of state.
    try define("format") { arguments in
      guard let value = try? value(arguments.at(0), named: "value") else { return .values([nil]) }
      return .values([.string(LuaLayout().text(of: value))])
    }
    // diff(expected, actual): the difference; nil if there is none, or one of them is no value of state.
    try define("diff") { arguments in
      guard let expected = try? value(arguments.at(0), named: "value"),
        let actual = try? value(arguments.at(1), named: "value"),
        let text = LuaDiff().text(from: expected, to: actual)
      else { return .values([nil]) }
      return .values([.string(text)])
    }
    // random(seed): function(n) → 1…n, the same for the same seed.
    try define("random") { [unowned vm] arguments in
      guard case .integer(let seed) = arguments.at(0) else {
        throw ScriptError("bad argument #1 to 'random' (integer expected)")
      }
      var generator = SplitMix64(state: UInt64(bitPattern: seed))
      let random = try vm.makeFunction("random") { arguments in
        let count = max(1, arguments.at(0).int ?? 1)
        return .values([.integer(Int64.random(in: 1...Int64(count), using: &generator))])
      }
      return .values([.function(random)])
    }
    try vm.addProtect(to: natives)
  }

  /// What is a value of state, copied if it is a plain table; nil for nil.
  static func value(_ lua: LuaValue, named name: String) throws(ScriptError) -> Value? {
    if case .table(let table) = lua { return try table.value(named: name) }
    return Value(lua)
  }
}
