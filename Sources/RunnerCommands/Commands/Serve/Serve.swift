import ArgumentParser
import LuaBridge
import Platform
import RunnerShared
import ScriptedStore
import Synchronization

/// Whom a store is for.
enum StoreChoice: String, ExpressibleByArgument, CaseIterable {
  case shared
  case session
}

struct Serve: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Show a feature in a browser, and load its scripts again when they are saved.",
    discussion: """
      Prints the address to open. It has a token, which the browser keeps; the same folder and port \
      have the same one each time. All pages show one store, or each browser one of its own (--store \
      session). A saved script changes the pages and keeps their state. A bar in the page has the \
      history, errors and effects; --production leaves it out, and loads saved scripts only with \
      --watch. A script that does not load at first is waited for.

      Others reach the server if --host is an address of this machine that they reach, as 0.0.0.0 is \
      for all of them; traffic is not encrypted.

      Exit status: 0 after Ctrl-C or SIGTERM; 64 for wrong usage; 66 when the script is missing or \
      does not load, the feature has no view, or a file named by an option is missing; 74 when the \
      port is taken, or the address is not one of this machine.
      """)

  @OptionGroup
  var options: StoreOptions

  @Option(help: "0 is any port that is free.")
  var port: UInt16 = 8080

  @Option(help: ArgumentHelp("The address of this machine to listen at.", valueName: "address"))
  var host = "127.0.0.1"

  @Option(
    help: ArgumentHelp(
      "A further host by which browsers reach the server, as behind a proxy. Repeatable.",
      valueName: "host"))
  var name: [String] = []

  @Option(help: "shared or session: one store for all pages, or one for each browser.")
  var store = StoreChoice.shared

  @Option(help: ArgumentHelp("A style sheet for the page.", valueName: "file"))
  var css: String?

  @Option(help: ArgumentHelp("A folder of pictures for ui.image.", valueName: "dir"))
  var assets: String?

  @Option(
    help: ArgumentHelp(
      "JSON with texts of the page itself: an object, as {\"failed\": \"That did not work\"}.",
      valueName: "json|@file"))
  var texts: String?

  @Flag(help: "Leave out the bar for development.")
  var production = false

  @Flag(
    inversion: .prefixedNo,
    help: "Load scripts again when they are saved. (default: unless --production)")
  var watch: Bool?

  @OptionGroup
  var state: StateOptions

  func validate() throws {
    if RunnerParts.ofProgram.pageServer == nil {
      throw ValidationError(Self.isMissing)
    }
    if options.dependencies.clock == .virtual {
      throw ValidationError("--clock virtual: in a browser time passes by itself")
    }
  }

  private static let isMissing =
    "this runner was built without its server, as `make run` does; `make build` builds it with the server"

  func run() throws {
    let overrides = try state.value()
    let pageTexts = try pageTexts()
    if let css {
      do throws(FileFault) {
        _ = try WholeFile.read(css)
      } catch {
        throw fail(.noInput, "--css: \(css): \(error)")
      }
    }
    if let assets, !Paths.isFolder(assets) {
      throw fail(.noInput, "--assets: \(assets): there is no folder of this name")
    }
    let reports = ServeReports()
    var configuration = try options.configuration(on: nil) { reports.add($0) }
    configuration.onError = { reports.add($0, $1) }
    let (host, store) = try options.openWaiting(
      configuration, overriding: overrides, as: "the server", readsKeys: false,
      waits: watch ?? !production)
    defer { host.flush() }
    try options.feature.requireView(of: store, host)

    let server = try server(showing: store, of: host, overriding: overrides, pageTexts)
    reports.use(server)
    let address = try start(server)
    let watch = try watch ?? !production ? watchScripts(of: host, reports) : nil
    defer { watch?.stop() }
    try StandardStreams.output("\(options.feature.location.feature) is at \(address)\n")
    if StandardStreams.errorIsTerminal { StandardStreams.error("Ctrl-C ends the server") }
    while !Interruption.isRequested { Interruption.wait() }
    try Awaited { await server.stop() }.wait()
  }

  private func server(
    showing first: Store, of host: ScriptHost, overriding overrides: Value?,
    _ texts: [String: String]
  ) throws -> any PageServer {
    guard let makeServer = RunnerParts.ofProgram.pageServer else {
      throw fail(.usage, "\(Self.isMissing)")
    }
    var configuration = PageServerConfiguration(
      address: self.host, port: Int(port), testSource: { try host.testSource(of: $0) })
    configuration.names = name
    configuration.storesPerSession = store == .session
    configuration.isProduction = production
    // Without a folder for it, the token is a new one each time.
    configuration.token = token
    if let css {
      // Read whenever a browser loads the page, so that a saved one is seen then.
      configuration.css = { (try? WholeFile.read(css)).map { String(decoding: $0, as: UTF8.self) } }
    }
    configuration.assets = assets
    configuration.files = try options.dependencies.fileFolder
    configuration.texts = texts
    let (name, replaced) = (options.feature.location.feature, try options.dependencies.replaced())
    do throws(ScriptError) {
      return try makeServer(configuration) { session in
        guard session != nil else { return first }
        return try host.store(name, state: overrides, dependencies: replaced)
      }
    } catch {
      throw fail(.usage, "--texts: \(error.message)")
    }
  }

  /// The texts of `--texts`, by name.
  private func pageTexts() throws -> [String: String] {
    guard let texts else { return [:] }
    let value: Value
    do {
      let file =
        texts.hasPrefix("@") ? try InputFile(String(texts.dropFirst()), of: "--texts") : nil
      value = try file.map { try Value(json: $0.bytes()) } ?? Value(json: texts)
    } catch let error as JSONError {
      throw fail(.usage, "--texts: \(error)")
    }
    guard let object = value.object, object.allSatisfy({ $0.value.string != nil }) else {
      throw fail(.usage, "--texts takes an object whose values are texts, not \(value)")
    }
    return Dictionary(uniqueKeysWithValues: object.map { ($0.key, $0.value.string ?? "") })
  }

  /// Starts the server and returns its address.
  private func start(_ server: any PageServer) throws -> String {
    do {
      return try Awaited { try await server.start() }.wait()
    } catch {
      let remedy: TerminalText =
        (error as? any PageServerError)?.isPortTaken == true
        ? "; --port \(port == .max ? 8080 : port + 1) is another one, --port 0 any that is free"
        : ""
      throw fail(.ioError, "\("\(error)")\(remedy)")
    }
  }

  private func watchScripts(of host: ScriptHost, _ reports: ServeReports) throws -> ScriptWatch? {
    do throws(ScriptError) {
      return try host.watch { reports.add($0) }
    } catch {
      guard watch == true else {
        StandardStreams.error("warning: saved scripts are not loaded again: \(error.message)")
        return nil
      }
      throw fail(.ioError, "\(error)")
    }
  }
}

/// What standard error has beside a server, and the bars in its pages.
final class ServeReports: Sendable {
  private let server = Mutex<(any PageServer)?>(nil)

  /// Tells this server as well from now on.
  func use(_ server: any PageServer) { self.server.withLock { $0 = server } }

  private var used: (any PageServer)? { server.withLock { $0 } }

  func add(_ warning: RuntimeWarning) {
    let isError = warning.kind == .effectError
    StandardStreams.error(
      isError ? TerminalText(effectError: warning) : TerminalText(warning))
    used?.report(warning)
  }

  func add(_ error: ScriptError, _ action: Action) {
    let place = action.value == ["type": "view"] ? "" : "\nin action \(action.path)"
    StandardStreams.error(TerminalText(error) + "\(place)")
    used?.report(error, action)
  }

  func add(_ result: Result<ReloadReport, ReloadError>) {
    switch result {
    case .success(let report):
      if report.hasChanges { StandardStreams.error("\(report.description)") }
    case .failure(let error): StandardStreams.error("error: \(describe(error))")
    }
    used?.report(result)
  }
}

extension Serve {
  /// The token of the folder of scripts and the port; nil if its file can be neither read nor written.
  /// It is kept in a file of the user, so that browsers know the server when it has been started again.
  private var token: String? {
    let root = options.feature.location.root
    guard let path = UserFolder.state.path(of: "serve", for: root, suffix: "-\(port).token") else {
      return nil
    }
    if let known = Self.token(at: path) { return known }
    let new = Secret.random()
    do throws(FileFault) {
      try WholeFile.makeFolder(Paths.folder(of: path))
      unlink(path)
      try WholeFile.create(Array(new.utf8), at: path, mode: 0o600)
      return new
    } catch {
      return nil
    }
  }

  /// Nil if the file is not there, has no token, or can be read by others.
  private static func token(at path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & 0o077 == 0, status.st_uid == getuid(),
      let bytes = try? WholeFile.read(path, atMost: Secret.length), Secret.isWellFormed(bytes)
    else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}
