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
    parts.pageServer = { (configuration, store) throws(ScriptError) in
      let options = try ViewServer.Configuration(configuration)
      return ViewServer(options) { session in try store(session.id) }
    }
    #endif
    return parts
  }
}

#if Server
extension ViewServer: PageServer {}
extension ViewServerError: PageServerError {}

extension ViewServer.Configuration {
  fileprivate init(_ options: PageServerConfiguration) throws(ScriptError) {
    self.init()
    address = options.address
    port = options.port
    names = options.names
    storesPerSession = options.storesPerSession
    isProduction = options.isProduction
    token = options.token
    css = options.css
    assets = options.assets
    files = options.files
    for (name, text) in options.texts {
      guard let known = PageText(rawValue: name) else {
        let names = PageText.allCases.map(\.rawValue).joined(separator: ", ")
        throw ScriptError("'\(name)' is no text of the page; these are: \(names)")
      }
      texts[known] = text
    }
    testSource = options.testSource
  }
}
#endif
