#if Journal
import Foundation
import ScriptedStore
import ScriptedStoreJournal
import Synchronization

/// The owner of a journal that tests kill, and whose disk they let fail: `journal-process SCRIPTS JOURNAL [ACTIVE]`. With
/// ACTIVE, the most stores in memory, stores are made passive after a tenth of a second. A line of its input is one of
///
///     add STORE REQUEST ITEM              sends the action, and prints `ok REQUEST`, `fail REQUEST REASON`, or, if it may have
///                                         been done, `unclear REQUEST REASON`
///     alarm STORE REQUEST ITEM SECONDS    sends the action `later`, which sets an alarm, and prints the same
///     refused STORE                       sends the action `refuse`, which raises, and prints `refused STORE REASON`
///     list STORE                          prints `list STORE ITEM…`
///     reload                              reloads the scripts, and prints `reloaded` or `kept REASON`
///
/// All lines are taken at once. The end of the input closes the journal. If the journal cannot be opened, it prints `unopened
/// REASON`, and its status is 1.
@main
struct JournalProcess {
  private static let output = Mutex(FileHandle.standardOutput)

  private static func say(_ line: String) {
    let line = line.replacingOccurrences(of: "\n", with: " ")
    output.withLock { $0.write(Data((line + "\n").utf8)) }
  }

  static func main() async throws {
    var configuration = ScriptHost.Configuration()
    configuration.journal = .sqlite(CommandLine.arguments[2])
    configuration.onError = nil
    if CommandLine.arguments.count > 3, let active = Int(CommandLine.arguments[3]) {
      (configuration.maxActive, configuration.idleTime) = (active, .milliseconds(100))
    }
    let host: ScriptHost
    do {
      host = try ScriptHost(root: CommandLine.arguments[1], configuration: configuration)
    } catch {
      say("unopened \(error)")
      exit(1)
    }
    say("ready")
    await withTaskGroup(of: Void.self) { group in
      while let line = readLine() {
        let words = line.split(separator: " ").map(String.init)
        group.addTask { await answer(words, host) }
      }
    }
    await host.close()
    say("closed")
  }

  private static func answer(_ words: [String], _ host: ScriptHost) async {
    switch (words.first, words.count) {
    case ("add", 4):
      await send("add", ["item": number(words[3])], words, host)
    case ("alarm", 5):
      let payload: Value = ["item": number(words[3]), "seconds": .float(Double(words[4]) ?? 0)]
      await send("later", payload, words, host)
    case ("refused", 2):
      do {
        try await host.durable("room", key: words[1]).send("refuse")
      } catch {
        say("refused \(words[1]) \(error)")
      }
    case ("list", 2):
      do {
        let store = try await host.durable("room", key: words[1]).open()
        let items = (store.state["items"].array ?? []).compactMap(\.int)
        say("list \(words[1]) \(items.map(String.init).joined(separator: " "))")
      } catch {
        say("unread \(words[1]) \(error)")
      }
    case ("reload", 1):
      do {
        _ = try await host.reload()
        say("reloaded")
      } catch {
        say("kept \(error)")
      }
    default: say("unknown \(words.joined(separator: " "))")
    }
  }

  private static func number(_ word: String) -> Value { .integer(Int64(word) ?? 0) }

  private static func send(
    _ action: String, _ payload: Value, _ words: [String], _ host: ScriptHost
  ) async {
    do {
      try await host.durable("room", key: words[1]).send(action, payload, request: words[2])
      say("ok \(words[2])")
    } catch let error as JournalError where error.code == .unknown {
      say("unclear \(words[2]) \(error)")
    } catch {
      say("fail \(words[2]) \(error)")
    }
  }
}
#else
@main
struct JournalProcess {
  static func main() {}
}
#endif
