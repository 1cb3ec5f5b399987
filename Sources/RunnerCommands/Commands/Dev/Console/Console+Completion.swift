import ScriptedStore

extension Console {
  /// Completes the text before the cursor.
  func completion(of text: String) -> Completion {
    let completer = CommandCompleter(tree: tree, state: store.state) { [unowned self] path in
      payloadKeys(of: path)
    }
    return completer.completion(of: text)
  }

  /// The keys that the handlers of an action read, then those that actions in the history had at the
  /// same path.
  private func payloadKeys(of path: String) -> [String] {
    let reads = readActions()
    var keys: [String] = []
    for handler in ActionCompleter(tree: tree, state: store.state).handlers(of: path) {
      // What a handler of a nested action reads begins with `action.action`.
      let start = [String](repeating: "action", count: handler.depth)
      keys += (reads[handler.origin] ?? [])
        .filter { $0.count == handler.depth + 1 && $0.starts(with: start) }.compactMap(\.last)
    }
    let types = ActionText.withoutIDs(path)
    let numbers = history.numbers
    let first = max(numbers.lowerBound, numbers.upperBound - Self.mostSearched)
    if !numbers.isEmpty {
      for entry in history.entries(first...numbers.upperBound - 1)
      where ActionText.withoutIDs(entry.action.path) == types {
        keys += entry.action.payload.keys
      }
    }
    var seen: Set = ["type"]
    return keys.filter { seen.insert($0).inserted }
  }

  /// How many entries of the history are searched for keys.
  private static let mostSearched = 1000

  private func readActions() -> [String: [[String]]] {
    if let actionReads { return actionReads }
    guard let scriptRoot else { return [:] }
    var reads: [String: [[String]]] = [:]
    for (script, path) in DroppedResultWarnings.scripts(of: name, under: scriptRoot) {
      guard let file = try? ScriptFile(FoundFile(path: path, name: script)) else { continue }
      for (line, fields) in file.analysis?.actionReads ?? [:] {
        reads["\(script):\(line)"] = fields
      }
    }
    actionReads = reads
    return reads
  }
}
