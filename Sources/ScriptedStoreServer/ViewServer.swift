@_exported import ScriptedStore
@_exported import ScriptedStoreFiles

#if Server
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Platform
import Synchronization

/// Serves the screens of stores to browsers.
///
/// ```swift
/// let host = try ScriptHost(root: "scripts")
/// let server = ViewServer { session in try host.store("todos") }
/// print("open \(try await server.start())")   // http://127.0.0.1:8080/?token=…
/// ```
///
/// A browser shows what the store's views return, and says which node was used; it never sends an
/// action. Pages that see the same share one evaluation of the views and one encoding of what
/// changes. A page that falls behind costs a pointer to a tree, and gets one frame from that tree
/// to the newest one. `docs/serve.md` is the guide. `docs/security.md` says which requests the
/// server refuses.
///
/// Thread-safe. Needs the package trait `Server`, which is on by default.
public final class ViewServer: Sendable {
  /// Whom a store is made for.
  public struct Session: Sendable, Hashable {
    /// Names a browser, as long as it has its cookie; nil for the store that all share.
    public let id: String?
  }

  /// The options of a server.
  public struct Configuration: Sendable {
    /// The address to listen at: that of the machine itself, unless others shall reach it.
    public var address = "127.0.0.1"
    /// 0 for any port that is free.
    public var port = 8080
    /// Further hosts by which browsers reach the server, as behind a proxy: `todos.example.org`.
    /// Requests that name another host are refused.
    public var names: [String] = []
    /// The secret in the address, which is not empty. Nil for a new one at each start; then all browsers
    /// need the new address.
    public var token: String?
    /// Whether each browser has a store of its own. Otherwise all show one.
    public var storesPerSession = false
    /// Whether the bar for development is left out, and with it the history of the stores and the
    /// errors of scripts.
    public var isProduction = true
    /// The author's style sheet, asked for whenever a browser loads the page; nil for none. The
    /// function may read a file: it is called on a thread of its own, once at a time.
    public var css: (@Sendable () -> String?)?
    /// A folder with pictures, which views name by their paths in it: `ui.image { source = "logo.png" }`; nil for none.
    /// Only pictures are served, no files whose names begin with a dot, and links are not followed.
    public var assets: String?
    /// Keeps the files that people choose in `ui.file`, and gives the files that links and images name. `FileFolder` keeps
    /// them in a folder. Nil for a server without files.
    public var files: (any FileExchange)?
    /// Texts of the page in place of the usual ones.
    public var texts: [PageText: String] = [:]
    /// The most connections that are open at the same time.
    public var mostConnections = 10_000
    /// The source of a test for what was recorded, which the bar exports.
    public var testSource: @Sendable (Recording) throws -> String = { $0.testSource(defaults: nil) }
    var times = ServerTimes()

    public init() {}
  }

  private let configuration: Configuration
  private let makeStore: @Sendable (Session) throws -> Store
  private let token: String
  private let state = Mutex(State.stopped)

  private enum State {
    case stopped
    case starting(Task<Running, any Error>)
    case running(Running)
    case stopping
  }

  private struct Running: Sendable {
    let group: MultiThreadedEventLoopGroup
    let channel: any Channel
    let hub: NIOLoopBound<Hub>
  }

  /// - Parameters:
  ///   - configuration: the options.
  ///   - store: makes the store of a session, or the one of all, when the first page asks for it.
  ///     Called outside of event loops, one call at a time. What it throws is shown by the page,
  ///     which asks again.
  public init(
    _ configuration: Configuration = Configuration(),
    store: @escaping @Sendable (Session) throws -> Store
  ) {
    self.configuration = configuration
    token = configuration.token ?? Secret.random()
    makeStore = store
  }

  deinit {
    guard let running else { return }
    running.channel.close(promise: nil)
    running.group.shutdownGracefully { _ in }
  }

  // MARK: Running

  /// Begins to listen.
  ///
  /// - Returns: the address to open in a browser. It contains the token, and a person who has
  ///   the token can use the screens.
  /// - Throws: ``ViewServerError`` if the port is taken, or the address is not one of this machine;
  ///   also if it runs already, the token is empty, or ``stop()`` is called meanwhile.
  @discardableResult
  public func start() async throws -> String {
    guard !token.isEmpty else { throw ViewServerError("the token is empty") }
    let start = try state.withLock { state in
      guard case .stopped = state else { throw ViewServerError("the server runs already") }
      let start = Task { try await listen() }
      state = .starting(start)
      return start
    }
    guard let address = address(try await start.value), !start.isCancelled else {
      throw ViewServerError("the server was stopped while it started")
    }
    return address
  }

  private func listen() async throws -> Running {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let loop = group.next()
    let (configuration, makeStore) = (configuration, makeStore)
    do {
      let hub = try await loop.submit {
        NIOLoopBound(Hub(configuration, on: loop, makeStore: makeStore), eventLoop: loop)
      }.get()
      let listener = Listener(hub: hub, configuration: configuration, token: token)
      let running = Running(group: group, channel: try await listener.bind(on: group), hub: hub)
      state.withLock { $0 = .running(running) }
      return running
    } catch {
      try? await group.shutdownGracefully()
      state.withLock { $0 = .stopped }
      throw ViewServerError(error, configuration)
    }
  }

  private var running: Running? {
    state.withLock { if case .running(let running) = $0 { running } else { nil } }
  }

  /// The port at which the server listens; nil while it does not.
  public var port: Int? { running?.channel.localAddress?.port }

  /// The address to open in a browser, with the token; nil while the server does not run.
  public var address: String? { running.flatMap(address) }

  private func address(_ running: Running) -> String? {
    guard let port = running.channel.localAddress?.port else { return nil }
    let all = ["0.0.0.0", "::"].contains(configuration.address)
    let host = all ? "127.0.0.1" : Access.inBrackets(configuration.address)
    return "http://\(host)\(port == 80 ? "" : ":\(port)")/?token=\(percentEncoded(token))"
  }

  /// Closes all connections and stops to listen. Stores go on, as long as the host has them.
  public func stop() async {
    if case .starting(let start) = state.withLock({ $0 }) {
      start.cancel()
      _ = try? await start.value
    }
    let running = state.withLock { state -> Running? in
      guard case .running(let running) = state else { return nil }
      state = .stopping
      return running
    }
    guard let running else { return }
    try? await running.channel.close()
    let hub = running.hub
    try? await running.channel.eventLoop.submit { hub.value.closeAll() }.get()
    try? await running.group.shutdownGracefully()
    state.withLock { $0 = .stopped }
  }

  // MARK: What happens to scripts

  /// Shows a warning in the bars for development, and the error of an effect in the pages. For a
  /// host's `onWarning`.
  public func report(_ warning: RuntimeWarning) {
    tell { $0.add(DevelopmentMessage(warning), to: $1.pages.values) }
  }

  /// Shows the error of an action in the pages and their bars for development. For a host's
  /// `onError`.
  public func report(_ error: ScriptError, _ action: Action) {
    tell { $0.add(DevelopmentMessage(error, action), to: $1.pages.values) }
  }

  /// Shows what a reload did in the bars for development, and in the pages that scripts do not load
  /// until they do. For `ScriptHost.watch`.
  public func report(_ result: Result<ReloadReport, ReloadError>) {
    tell { $0.add(result, to: $1.pages.values) }
  }

  private func tell(_ body: @escaping @Sendable (DevelopmentHub, Hub) -> Void) {
    guard !configuration.isProduction, let running else { return }
    let hub = running.hub
    running.channel.eventLoop.execute {
      if let development = hub.value.development { body(development, hub.value) }
    }
  }
}

/// Why a server does not run.
public struct ViewServerError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A sentence without a full stop.
  public let description: String
  /// Whether another program listens at the port.
  public private(set) var isPortTaken = false

  init(_ description: String) { self.description = description }

  /// What went wrong when the server began to listen.
  init(_ error: any Error, _ configuration: ViewServer.Configuration) {
    let (address, port) = (configuration.address, configuration.port)
    let number = (error as? IOError)?.errnoCode
    isPortTaken = number == EADDRINUSE
    description =
      switch number {
      case EADDRINUSE: "port \(port) is taken by another program"
      case EADDRNOTAVAIL: "\(address) is no address of this machine"
      case EACCES: "port \(port) needs the rights of an administrator"
      default: "cannot listen at \(address), port \(port): \(error)"
      }
  }
}

/// How long the server waits for pages and for requests. Tests do not wait as long.
struct ServerTimes: Sendable {
  /// A request has to be complete, an answer taken, and the next request begun, within this time. A large file or answer has
  /// it for each `RequestHandler.step`.
  var longestRequest = TimeAmount.seconds(30)
  var betweenPings = TimeAmount.seconds(20)
  /// A page that does not answer pings for longer is gone.
  var longestSilence = TimeAmount.seconds(60)
  /// A page that is away for longer is forgotten.
  var longestAbsence = TimeAmount.hours(1)
}
#endif
