import CLua
import Synchronization

extension LuaVM {
  /// Loads a chunk of the host's own that many VMs load. It is compiled once in a process, since
  /// compiling takes longer than everything else in making a VM.
  ///
  /// - Parameters:
  ///   - source: called if the chunk is not compiled yet.
  ///   - name: the chunk's name, with `=` in front. All loads of one name must pass the same
  ///     source.
  ///   - environment: the globals. Chunks that declare none can share them: making an environment
  ///     takes longer than loading a small chunk.
  package func load(
    prelude source: @autoclosure () -> [UInt8], name: String, environment: LuaTable
  ) throws(ScriptError) -> LuaFunction {
    if let bytecode = Prelude.known(name) {
      hostChunks.insert(String(name.dropFirst()))
      return try load(bytecode, chunk: name, isBytecode: true, environment)
    }
    // The limit on the size of a source is for scripts.
    let limit = core.pointee.limits.source
    sl_set_source_limit(&core.pointee.limits, 0)
    defer { sl_set_source_limit(&core.pointee.limits, limit) }
    let chunk = try load(source(), name: name, environment: environment)
    Prelude.remember(name, try bytecode(of: chunk))
    return chunk
  }

  /// The bytecode of a function, as `string.dump` makes it.
  func bytecode(of function: LuaFunction) throws(ScriptError) -> [UInt8] {
    var text = sl_text()
    defer { sl_text_free(&text) }
    try check(sl_dump(core, function.slot, &text))
    return Array(UnsafeRawBufferPointer(start: text.bytes, count: text.count))
  }
}

/// The bytecode of the host's own chunks, by name. Safe from any thread.
private enum Prelude {
  private static let chunks = Mutex<[String: [UInt8]]>([:])

  static func known(_ name: String) -> [UInt8]? { chunks.withLock { $0[name] } }

  static func remember(_ name: String, _ bytecode: [UInt8]) {
    chunks.withLock { $0[name] = bytecode }
  }
}
