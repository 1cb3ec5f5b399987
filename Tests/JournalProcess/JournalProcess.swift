#if Journal
import Foundation
import ScriptedStore
import ScriptedStoreJournal
import Synchronization

/// The owner of a journal that tests kill: `journal-process SCRIPTS JOURNAL`. A line of its input is one of
///
///     add STORE REQUEST ITEM    sends the action, and prints `ok REQUEST` or `fail REQUEST REASON`
///     list STORE                prints `list STORE ITEM…`
///
/// All lines are taken at once. The end of the input closes the journal.
@main
struct JournalProcess {
  private static let output = Mutex(FileHandle.standardOutput)

  private static func say(_ line: String) {
    output.withLock { $0.write(Data((line + "\n").utf8)) }
  }

  static func main() async throws {
    var configuration = ScriptHost.Configuration()
    configuration.journal = .sqlite(CommandLine.arguments[2])
    let host = try ScriptHost(root: CommandLine.arguments[1], configuration: configuration)
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
    do {
      switch (words.first, words.count) {
      case ("add", 4):
        try await host.durable("room", key: words[1])
          .send("add", ["item": .integer(Int64(words[3]) ?? 0)], request: words[2])
        say("ok \(words[2])")
      case ("list", 2):
        let store = try await host.durable("room", key: words[1]).open()
        let items = (store.state["items"].array ?? []).compactMap(\.int)
        say("list \(words[1]) \(items.map(String.init).joined(separator: " "))")
      default: say("unknown \(words.joined(separator: " "))")
      }
    } catch {
      say("fail \(words.dropFirst(2).first ?? "-") \(error)")
    }
  }
}
#else
@main
struct JournalProcess {
  static func main() {}
}
#endif
