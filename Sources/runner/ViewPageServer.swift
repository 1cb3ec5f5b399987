#if Server
import RunnerShared
import ScriptedStore
import ScriptedStoreServer

/// The server of `runner serve`.
struct ViewPageServer: PageServer {
  private let server: ViewServer

  init(
    _ configuration: PageServerConfiguration,
    store: @escaping @Sendable (_ session: String?) throws -> Store
  ) throws(PageServerError) {
    var options = ViewServer.Configuration()
    options.address = configuration.address
    options.port = configuration.port
    options.names = configuration.names
    options.storesPerSession = configuration.storesPerSession
    options.isProduction = configuration.isProduction
    options.token = configuration.token
    options.css = configuration.css
    options.assets = configuration.assets
    options.files = configuration.files
    for (name, text) in configuration.texts {
      guard let known = PageText(rawValue: name) else {
        let names = PageText.allCases.map(\.rawValue).joined(separator: ", ")
        throw PageServerError(
          "'\(name)' is no text of the page; these are: \(names)", isPortTaken: false)
      }
      options.texts[known] = text
    }
    options.testSource = configuration.testSource
    server = ViewServer(options) { session in try store(session.id) }
  }

  func start() async throws(PageServerError) -> String {
    do {
      return try await server.start()
    } catch let error as ViewServerError {
      throw PageServerError(error.description, isPortTaken: error.isPortTaken)
    } catch {
      throw PageServerError("\(error)", isPortTaken: false)
    }
  }

  func stop() async { await server.stop() }

  func report(_ warning: RuntimeWarning) { server.report(warning) }

  func report(_ error: ScriptError, _ action: Action) { server.report(error, action) }

  func report(_ result: Result<ReloadReport, ReloadError>) { server.report(result) }
}
#endif
