import RunnerCommands
import RunnerShared
import ScriptedStore
import ScriptedStoreDatabase
import ScriptedStoreHTTP
import ScriptedStoreJournal
import ScriptedStoreServer

/// The runner with all parts that the package's traits do not leave out.
@main
enum Main {
  static func main() { Runner.main(parts) }

  private static var parts: RunnerParts {
    var parts = RunnerParts()
    #if HTTP
    parts.http = { hosts, remedy in try .http(allowing: hosts, remedy: remedy) }
    #endif
    #if Database
    parts.database = { folder in try DatabaseStorage(folder) }
    #endif
    #if Journal
    parts.journals = RunnerParts.Journals(
      journal: { .sqlite($0) },
      openReader: { file throws(JournalError) in try SQLiteJournalReader(file) })
    #endif
    #if Server
    parts.pageServer = { (configuration, store) throws(PageServerError) in
      try ViewPageServer(configuration, store: store)
    }
    #endif
    return parts
  }
}
