import ScriptValue
import Synchronization

/// Failures of loading and saving that no feature shows by `key:status()`. Each is told once, as a warning.
final class SharedFailures: Sendable {
  private struct State {
    /// The keys whose status a feature shares.
    var shown: Set<SharedIdentity> = []
    /// The last failures that were told.
    var told: [SharedIdentity: [SharedOperation: SharedStorageError]] = [:]
    /// The files whose conflicts were reported.
    var contradicted: Set<String> = []
    var warnings: [RuntimeWarning] = []
  }

  private let state = Mutex(State())

  /// A feature shares the status of the value with this key.
  func show(_ key: SharedIdentity) { state.withLock { _ = $0.shown.insert(key) } }

  /// The value with this key is forgotten. If it is declared again, its failures are told again.
  func forget(_ key: SharedIdentity) {
    state.withLock { state in
      state.shown.remove(key)
      state.told[key] = nil
    }
  }

  /// Tells of a failure, unless a feature shows it or it was told before.
  ///
  /// - Parameters:
  ///   - file: where the value is stored; nil for a custom key.
  ///   - origin: the script line of the key.
  func tell(
    _ failure: SharedStorageError, of key: SharedIdentity, _ operation: SharedOperation,
    in file: String?, origin: String
  ) {
    state.withLock { state in
      guard !state.shown.contains(key),
        state.told[key, default: [:]].updateValue(failure, forKey: operation) != failure
      else { return }
      state.warnings.append(
        RuntimeWarning(
          kind: .sharedStorage,
          message: """
            the shared value \(key) cannot be \(operation == .load ? "loaded" : "saved")\
            \(file.map { " \(operation == .load ? "from" : "to") \($0)" } ?? ""): \(failure.message) (\(failure.code)). \
            \(SharedFailures.remedy(for: failure, operation, of: key)). To show such failures, share the key's status() in a feature
            """, origin: origin, action: nil))
    }
  }

  /// Tells that another program has changed in a file what was changed here as well. Once for each file, because two
  /// programs that go on so have a conflict in each second.
  ///
  /// - Parameter kept: the file that has what is not in the value.
  func tellOfConflict(in file: String, kept: String, origin: String) {
    state.withLock { state in
      guard state.contradicted.insert(file).inserted else { return }
      state.warnings.append(
        RuntimeWarning(
          kind: .sharedStorage,
          message: """
            another program has changed in \(file) what was changed here too and was not written yet. What the value lacks \
            now is kept as \(kept); further conflicts of this file are not told
            """, origin: origin, action: nil))
    }
  }

  /// A stored value could not be read when its key was declared.
  static func warning(
    of failure: SharedStorageError, opening key: SharedKey
  ) -> RuntimeWarning {
    RuntimeWarning(
      kind: .sharedStorage,
      message: """
        the shared value '\(key.name)' cannot be read from \(key.fileName): \(failure.message) (\(failure.code)). \
        \(remedy(for: failure, opening: key))
        """, origin: key.origin, action: nil)
  }

  private static func remedy(for failure: SharedStorageError, opening key: SharedKey) -> String {
    let isTable = key.kind == .database
    let stays = "The default is used, and the \(isTable ? "table" : "file") stays as it is"
    switch failure.code {
    case "broken" where isTable:
      return
        "The rows that can be read are used. Before the table is changed, the others are moved to the table '\(key.name).broken'"
    case "invalid" where isTable:
      return
        "The default is used. Before the table is changed, the old one gets the name '\(key.name).broken'"
    case "broken", "invalid", "decode":
      return
        "The default is used. Before the file is written, the old text gets another name next to it; repair it, and put it back while the program does not run"
    case "newer": return "\(stays); run the newer scripts"
    case "migration":
      return "\(stays); correct the key's `migrate`, and start the program again"
    case _ where isTable: return stays
    case "isFolder":
      return
        "The default is used, and the folder stays as it is; give the file of the key another name"
    case "link":
      return
        "The default is used, and the link stays as it is; put the file itself in its place"
    case "tooLarge": return "\(stays); a list with many rows belongs in shared.database"
    default: return "\(stays) until it can be read; then both are merged"
    }
  }

  /// What becomes of the value, and what can be done about the failure.
  private static func remedy(
    for failure: SharedStorageError, _ operation: SharedOperation, of key: SharedIdentity
  ) -> String {
    let retries = "The value stays as it is, and saving is tried again"
    if key.kind == .custom { return operation == .save ? retries : "The value stays as it is" }
    let isTable = key.kind == .database
    switch (operation, failure.code) {
    case (.load, "broken") where isTable: return "The rows that can be read are used"
    case (.load, "broken"), (.load, "invalid"), (.load, "decode"):
      return isTable
        ? "The value stays as it is"
        : "The value stays as it is; repair the file. If the value changes before that, the text gets another name next to it"
    case (_, "newer"):
      return "What changes here stays in memory, and the file as it is; run the newer scripts"
    case (_, "migration"):
      return
        "What changes here stays in memory, and the file as it is; start the program again with a `migrate` that can read it"
    case (.load, _): return "The value stays as it is"
    case (.save, "locked"):
      return "What changes here stays in memory while the other process has it"
    case (.save, "denied"): return "\(retries); let the program write the file and its folder"
    case (.save, "full"): return "\(retries); make room on the disk"
    case (.save, "notFound"):
      return "\(retries); a folder that was removed has to be made again before the program starts"
    case (.save, "isFolder"), (.save, "link"):
      return "\(retries); put a file in its place, or give the file of the key another name"
    case (.save, "tooLarge"):
      return "\(retries); a list with many rows belongs in shared.database"
    case (.save, "encode"): return "\(retries); correct the key's `encode`"
    default: return retries
    }
  }

  var haveWarnings: Bool { state.withLock { !$0.warnings.isEmpty } }

  func takeWarnings() -> [RuntimeWarning] {
    state.withLock { state in
      defer { state.warnings = [] }
      return state.warnings
    }
  }
}
