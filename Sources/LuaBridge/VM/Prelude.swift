import CLua
import Synchronization

extension LuaVM {
  /// A chunk of the host's own that many VMs load: compiled once in a process, which takes longer than all else that
  /// making a VM does.
  ///
  /// - Parameter name: with `=` in front; there must be one source alone of a name.
  package func load(prelude source: [UInt8], name: String) throws(ScriptError) -> LuaFunction {
    if let bytecode = Prelude.known(name) { return try undump(bytecode, name: name) }
    let chunk = try load(source, name: name)
    var text = sl_text()
    defer { sl_text_free(&text) }
    try check(sl_dump(core, chunk.slot, &text))
    Prelude.remember(
      name, Array(UnsafeRawBufferPointer(start: text.bytes, count: text.count)))
    return chunk
  }

  private func undump(_ bytecode: [UInt8], name: String) throws(ScriptError) -> LuaFunction {
    hostChunks.insert(String(name.dropFirst()))
    let environment = try makeEnvironment()
    var reference: Int32 = 0
    let status = bytecode.withUnsafeBytes { bytes in
      sl_undump(core, bytes.baseAddress, bytes.count, environment.slot, &reference)
    }
    try check(status)
    return LuaFunction(vm: self, slot: reference)
  }
}

/// The bytecode of the host's own chunks.
private enum Prelude {
  private static let chunks = Mutex<[String: [UInt8]]>([:])

  static func known(_ name: String) -> [UInt8]? { chunks.withLock { $0[name] } }

  static func remember(_ name: String, _ bytecode: [UInt8]) {
    chunks.withLock { $0[name] = bytecode }
  }
}
