import LuaBridge

// A file that is not JSON: the key's functions `encode(value)` and `decode(text)` make its text and read it.
//
// They are functions of a VM, so a thread calls them only inside the worker of that VM. The first text is decoded
// where a store is made. Later the thread that writes files has to wait for no worker, so that a worker may wait
// for it: a file with a format is written inside the worker that has its key (``SharedSaver``).
extension SharedKey {
  /// Whether the file has a format of its own.
  var hasFormat: Bool { encoding != nil }

  /// The text of a value. Called inside the worker of the key's VM.
  func text(of value: Value) throws(SharedStorageError) -> [UInt8] {
    let made = try call(encoding, "encode", LuaValue(value))
    guard case .string(let text) = made else {
      throw SharedStorageError(
        code: "encode",
        message:
          "encode returned \(made.typeNameWithArticle); it must return the file's text, a string")
    }
    return Array(text.utf8)
  }

  /// The value of a text. Called inside the worker of the key's VM.
  func value(of text: [UInt8]) throws(SharedStorageError) -> Value {
    guard let text = String(validating: text, as: UTF8.self) else {
      throw SharedStorageError(code: "decode", message: "it is not UTF-8, so decode cannot read it")
    }
    let made = try call(decoding, "decode", .string(text))
    do throws(ScriptError) {
      if let value = try made.stateValue(named: "what decode returned") { return value }
    } catch {
      throw SharedStorageError(code: "decode", message: "\(error)")
    }
    throw SharedStorageError(
      code: "decode",
      message: "decode returned \(made.typeNameWithArticle), which is no value of state")
  }

  private func call(
    _ function: LuaFunction?, _ name: String, _ argument: LuaValue
  ) throws(SharedStorageError) -> LuaValue {
    do throws(ScriptError) {
      guard let function else { return .nil }
      return try table.vm.turn { () throws(ScriptError) in
        try function.call([argument], tablesAsValues: true).at(0)
      }
    } catch {
      throw SharedStorageError(code: name, message: "\(error)")
    }
  }
}

/// The keys of a worker whose files have a format.
extension WorkerSharing {
  /// Lets this worker write the file of a key.
  func format(_ key: SharedKey) {
    guard key.table.vm === engine.context.vm, let file = values.saver?.file(with: key.identity) else {
      return
    }
    formats[file.name] = key
    file.worker.withLock { $0 = link }
  }

  /// Forgets the key of a file that the host has let go of, unless it has it again.
  func endFormat(of file: String) {
    if values.saver?.file(named: file)?.worker.withLock({ $0 }) !== link { formats[file] = nil }
  }
}
