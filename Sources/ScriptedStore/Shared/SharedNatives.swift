import LuaBridge

/// The Swift functions behind `key:get()` and `key:values()` in effects.
enum SharedNatives {
  /// Adds the functions to the table that the prelude gets. `key` is the description of a shared key.
  static func add(to table: LuaTable, _ scheduler: SchedulerLink) throws(ScriptError) {
    // sharedGet(key)
    try table.define("sharedGet", as: "get") { arguments in
      let runner = try scheduler.running()
      let key = try SharedKey(argument: arguments.at(0))
      guard !scheduler.vm.isHandling else {
        throw ScriptError(
          "a handler reads the shared value '\(key.name)' in its state: share a field of the feature, and read state.<field>"
        )
      }
      let use = SharedUse(of: key.identity.used, runner.engine.sharing.values.uses)
      defer { withExtendedLifetime(use) {} }
      let version = try declare(key, runner)
      return .values([value(key, in: version).map { LuaValue($0) } ?? .nil])
    }
    // sharedStream(key), sharedNext(stream)
    try table.define("sharedStream", as: "values") { arguments in
      let runner = try scheduler.running()
      let key = try SharedKey(argument: arguments.at(0))
      let stream = SharedStream(key, runner.engine.sharing.values)
      _ = try declare(key, runner)
      runner.engine.sharing.addReader()
      return .values([.object(stream)])
    }
    try table.define("sharedNext", as: "values") { arguments in
      guard case .object(let stream as SharedStream) = arguments.at(0) else {
        throw ScriptError("call key:values() in a for loop of an effect")
      }
      return try scheduler.running().read(stream, in: scheduler.vm)
    }
  }

  private static func value(_ key: SharedKey, in version: SharedVersion) -> Value? {
    Value.object(version.values).part(at: key.path[...])
  }

  /// The current version, in which the key is declared.
  private static func declare(
    _ key: SharedKey, _ runner: EffectRunner
  ) throws(ScriptError) -> SharedVersion {
    let version = try runner.engine.sharing.values.versionDeclaring(key)
    if key.format.needsWorker { runner.engine.sharing.format(key) }
    return version
  }

  /// The values of a key, as an effect reads them: first the current one, then the newest after each
  /// change. An absent value is null, because nil would end the loop.
  fileprivate final class SharedStream: BufferedStream {
    private let key: SharedKey
    private let values: SharedValues
    private let use: SharedUse
    /// What was read last; nil before the first read.
    private var last: Value?

    init(_ key: SharedKey, _ values: SharedValues) {
      self.key = key
      self.values = values
      use = SharedUse(of: key.identity.used, values.uses)
    }

    private var current: Value { SharedNatives.value(key, in: values.version) ?? .null }

    var name: String { "values() of '\(key.name)'" }

    var ready: Int { current == last ? 0 : 1 }

    func take() -> BodyResumption? {
      let current = current
      if current == last { return nil }
      last = current
      return .values([LuaValue(current)])
    }
  }
}

extension EffectRunner {
  /// Makes the bodies ready that wait for a change of a shared value that has come.
  func wakeSharedReaders() {
    for reader in readers where reader.stream is SharedNatives.SharedStream {
      if reader.stream.ready > 0 { wakeReaders(of: reader.stream) }
    }
  }
}
