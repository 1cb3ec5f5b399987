#if Server
import Dispatch
import NIOCore
import Platform
import ScriptView
import ScriptedStore

/// All pages of a server, their screens and stores. It is used on one event loop.
final class Hub {
  let configuration: ViewServer.Configuration
  let files: PageFiles
  let loop: any EventLoop
  private let makeStore: @Sendable (ViewServer.Session) throws -> Store
  private let versions = ScreenVersions()
  /// By session; the one of all sessions under "".
  private var stores: [String: ServedStore] = [:]
  /// The calls that wait for a store that is being made.
  private var waiting: [String: [(Result<ServedStore, any Error>) -> Void]] = [:]
  private var screens: [ScreenKey: ServedScreen] = [:]
  private(set) var pages: [ObjectIdentifier: Page] = [:]
  /// The number of the pages of a session.
  private var sessions: [String: Int] = [:]
  /// The number of files that are being sent or kept.
  var uploads = 0
  /// The number of open connections.
  var connections = 0
  private var departed: DepartedPages
  /// What authors are shown; nil in production.
  let development: DevelopmentHub?
  /// Stores are made one after the other, outside of the loop.
  private let maker = DispatchQueue(label: "ScriptedStore.server.stores")

  private struct ScreenKey: Hashable {
    let store: ObjectIdentifier
    let environment: PageEnvironment
  }

  init(
    _ configuration: ViewServer.Configuration, on loop: any EventLoop,
    makeStore: @escaping @Sendable (ViewServer.Session) throws -> Store
  ) {
    self.configuration = configuration
    self.loop = loop
    self.makeStore = makeStore
    departed = DepartedPages(longestAbsence: configuration.times.longestAbsence)
    files = PageFiles(isProduction: configuration.isProduction, hasStyle: configuration.css != nil)
    development =
      configuration.isProduction
      ? nil : DevelopmentHub(on: loop, testSource: configuration.testSource)
  }

  // MARK: Pages

  /// A page connects, perhaps again.
  func open(_ request: PageRequest, session: String, _ connection: PageHandler) -> Page {
    let known = request.page.flatMap { returningPage(named: $0, session: session) }
    let page =
      known ?? Page(name: Secret.random(), session: session, environment: request.environment)
    page.environment = request.environment
    pages[ObjectIdentifier(page)] = page
    sessions[session, default: 0] += 1
    let isResumed = page.connect(connection, showing: request.version, knowing: request.seen)
    var hello: Value.Object = [
      "page": .string(page.name), "build": .string(files.build),
      "seen": Value(isResumed ? page.toldSeen : page.lastEvent),
    ]
    if isResumed { hello["resumed"] = 1 }
    if development != nil { hello["dev"] = 1 }
    hello["texts"] = PageText.forPage(configuration.texts)
    page.send(["hello": .object(hello)])
    development?.greet(page)
    if isResumed { page.repeatRefusals(after: request.seen ?? page.lastEvent) }
    find(screenFor: page)
    return page
  }

  /// The page with a name that connects again. It may not have gone yet as far as is known here,
  /// because a connection can end without a word: then its old one ends.
  private func returningPage(named name: String, session: String) -> Page? {
    if let open = pages.values.first(where: { $0.name == name && $0.session == session }) {
      open.leaveConnection()
      close(open)
    }
    return departed.take(name, session: session)
  }

  func close(_ page: Page) {
    guard pages.removeValue(forKey: ObjectIdentifier(page)) != nil else { return }
    development?.close(page)
    let screen = page.screen
    page.disconnect()
    if let screen { release(screen) }
    sessions[page.session, default: 1] -= 1
    if sessions[page.session] == 0 { sessions[page.session] = nil }
    releaseStores(session: page.session, madeRoomFor: departed.add(page))
  }

  /// Closes the connections of all pages, and ends all screens: they do not hear of changes any more.
  func closeAll() {
    for page in pages.values {
      page.close(WebSocketClose.goingAway)
      page.screen?.end()
    }
    for screen in screens.values { screen.end() }
    screens = [:]
  }

  // MARK: Stores

  private func store(
    for session: String, _ body: @escaping (Result<ServedStore, any Error>) -> Void
  ) {
    let key = configuration.storesPerSession ? session : ""
    if let known = stores[key] { return body(.success(known)) }
    waiting[key, default: []].append(body)
    guard waiting[key]?.count == 1 else { return }
    let (onLoop, makeStore) = (OnLoop(self, loop), makeStore)
    let isProduction = configuration.isProduction
    let session = ViewServer.Session(id: configuration.storesPerSession ? session : nil)
    maker.async {
      let result = Result {
        let store = try makeStore(session)
        guard store.hasView else { throw ViewServerError("the feature has no view") }
        return ServedStore(store, records: !isProduction)
      }
      onLoop { $0.didMake(result, key) }
    }
  }

  private func didMake(_ result: Result<ServedStore, any Error>, _ key: String) {
    if case .success(let store) = result { stores[key] = store }
    for body in waiting.removeValue(forKey: key) ?? [] { body(result) }
  }

  /// The store of a session stays as long as one of its pages may come back.
  ///
  /// - Parameter removed: a page that was forgotten to make room.
  private func releaseStores(session: String, madeRoomFor removed: Page?) {
    departed.removeOld()
    guard configuration.storesPerSession else { return }
    OnLoop(self, loop).after(configuration.times.longestAbsence + .milliseconds(1)) {
      $0.releaseStoreIfUnused(session)
    }
    if let removed { releaseStoreIfUnused(removed.session) }
  }

  private func releaseStoreIfUnused(_ session: String) {
    departed.removeOld()
    guard !departed.has(session: session), sessions[session] == nil, let store = stores[session]
    else { return }
    stores[session] = nil
    // The last reference goes where a wait for the store does no harm.
    store.async { _ = store }
  }

  // MARK: Screens

  /// Finds or makes the screen for a page's environment. A page waits for one screen at a time: if its
  /// environment is another one by then, ``found(_:for:)`` calls this again.
  private func find(screenFor page: Page) {
    guard !page.isFindingScreen else { return }
    page.isFindingScreen = true
    store(for: page.session) { [self] result in
      switch result {
      case .success(let served): show(served, to: page)
      case .failure(let error): fail(page, error)
      }
    }
  }

  private func show(_ served: ServedStore, to page: Page) {
    let key = ScreenKey(store: ObjectIdentifier(served), environment: page.environment)
    if let known = screens[key] { return found(known, for: page) }
    makeScreen(served, page) { hub, page, screen in
      // Another page may have made one meanwhile.
      let shared = hub.screens[key] ?? screen
      if shared === screen { hub.screens[key] = screen } else { screen.end() }
      hub.found(shared, for: page)
    }
  }

  private func found(_ screen: ServedScreen, for page: Page) {
    page.isFindingScreen = false
    if pages[ObjectIdentifier(page)] == nil {
      release(screen)
    } else {
      let old = page.screen
      page.show(screen)
      if let old, old !== screen { release(old) }
      for message in page.takeEarly() { receive(message, from: page) }
      if page.environment != screen.environment { find(screenFor: page) }
    }
    performEvents(of: page)
  }

  /// Looks at a store on its queue, and calls `body` on the loop when the tree is there.
  ///
  /// - Parameter rows: those of a long list that the page shows, which makes the screen its own.
  private func makeScreen(
    _ served: ServedStore, _ page: Page,
    showing rows: (list: ViewPath, first: Int, count: Int)? = nil,
    _ body: @escaping @Sendable (Hub, Page, ServedScreen) -> Void
  ) {
    let onLoop = OnLoop((hub: self, page: page), loop)
    let (environment, loop) = (page.environment, loop)
    served.async {
      let views = served.store.view(environment: environment.value)
      if let rows { views.show(rows.list, first: rows.first, count: rows.count) }
      let news = ScreenNews(served.store, views, on: loop)
      views.afterDeliveries {
        onLoop { hub, page in
          let screen = ServedScreen(
            served, environment, views: views, news: news, isPrivate: rows != nil,
            isProduction: hub.configuration.isProduction, versions: hub.versions, on: loop)
          body(hub, page, screen)
        }
      }
    }
  }

  /// Ends a screen that no page shows. A page that is loaded anew may come soon.
  private func release(_ screen: ServedScreen) {
    guard screen.isEmpty else { return }
    let onLoop = OnLoop((hub: self, screen: screen), loop)
    onLoop.after(screen.isPrivate ? .zero : .seconds(2)) { hub, screen in
      guard screen.isEmpty else { return }
      let key = ScreenKey(store: ObjectIdentifier(screen.served), environment: screen.environment)
      if hub.screens[key] === screen { hub.screens[key] = nil }
      screen.end()
    }
  }

  private func fail(_ page: Page, _ error: any Error) {
    page.isFindingScreen = false
    var failure: Value.Object = [
      "message": .string(PageText.unavailable.shown(configuration.texts))
    ]
    if !configuration.isProduction {
      failure["message"] = .string((error as? ScriptError)?.message ?? "\(error)")
      failure["traceback"] = (error as? ScriptError)?.traceback.map { .string($0) }
    }
    page.send(["failed": WireProperty.visible(.object(failure))])
    // The page connects again after a while, and then the server tries again to make the store.
    page.close(WebSocketClose.tryLater)
  }

  // MARK: Messages

  func receive(_ message: PageMessage, from page: Page) {
    if page.keep(message) { return }
    switch message {
    case .shown(let version, let event):
      page.acknowledge(version)
      guard let event, let screen = page.screen else { return }
      page.receive(event, in: version, of: screen)
      performEvents(of: page)
    case .environment(let new):
      var environment = page.environment
      for (key, value) in new.object ?? [:] {
        if let text = value.string { environment.take(key, text) }
      }
      guard environment != page.environment else { return }
      page.environment = environment
      find(screenFor: page)
    case .development(let command): development?.receive(command, from: page)
    }
  }

  /// Begins the events of a page that can begin.
  private func performEvents(of page: Page) {
    while let (work, event) = page.next() { perform(work, for: event, of: page) }
  }

  private func perform(_ work: Page.Work, for event: Page.Arrival, of page: Page) {
    let (number, path, seen) = (event.number, event.path, event.tree)
    // The page may have got a screen of its own since the event came, with rows of another list.
    let screen = if case .showRows = work { page.screen ?? event.screen } else { event.screen }
    let (views, onLoop) = (screen.views, OnLoop((hub: self, page: page, screen: screen), loop))
    let failed = Page.Refusal.message(PageText.failed.shown(configuration.texts))
    let finish: @Sendable (Page.Refusal?) -> Void = { refusal in
      onLoop { hub, page, screen in
        screen.takeNews()
        page.finish(number, refusal: refusal)
        hub.performEvents(of: page)
      }
    }
    switch work {
    case .perform(.enter) where ViewLocation(root: seen).descending(path)?.node.kind == "file":
      // Only a request for it enters a file, because it makes the path.
      finish(.message("a file is sent by a request of its own"))
    case .perform(let gesture):
      screen.served.async {
        do throws(ViewRefusal) {
          try views.perform(gesture, at: path, seen: seen) { error in
            finish(error == nil ? nil : failed)
          }
        } catch {
          switch gesture {
          case .focus, .blur: finish(.silent)
          // What was to be closed has gone, as the person wants it.
          case .dismiss where error.reason == .absent: finish(.silent)
          default: finish(.message(error.message))
          }
        }
      }
    case .showRows(let first, let count) where screen.isPrivate:
      screen.served.async {
        views.show(path, first: first, count: count)
        views.afterDeliveries { finish(nil) }
      }
    case .showRows(let first, let count):
      // A page that scrolls gets a screen of its own, until its environment changes or it connects
      // again.
      page.isFindingScreen = true
      makeScreen(screen.served, page, showing: (path, first, count)) { hub, page, screen in
        page.finish(number)
        hub.found(screen, for: page)
      }
    }
  }
}

/// The pages that have gone and may come back, as when a laptop wakes up. Each costs some pointers
/// to trees.
struct DepartedPages {
  /// In the order in which they went.
  private var pages: [Page] = []
  private let longestAbsence: TimeAmount

  static let limit = 256

  init(longestAbsence: TimeAmount) { self.longestAbsence = longestAbsence }

  /// Returns the page that is forgotten to make room.
  mutating func add(_ page: Page) -> Page? {
    page.left = .now()
    pages.append(page)
    return pages.count > DepartedPages.limit ? pages.removeFirst() : nil
  }

  /// Takes out the page with a name, if it is one of this session.
  mutating func take(_ name: String, session: String) -> Page? {
    removeOld()
    guard let index = pages.firstIndex(where: { $0.name == name && $0.session == session }) else {
      return nil
    }
    return pages.remove(at: index)
  }

  mutating func removeOld() {
    let now = NIODeadline.now()
    while let first = pages.first, first.left + longestAbsence < now {
      pages.removeFirst()
    }
  }

  func has(session: String) -> Bool { pages.contains { $0.session == session } }
}
#endif
