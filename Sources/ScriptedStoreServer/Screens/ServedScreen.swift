#if Server
import NIOCore
import ScriptView
import ScriptedStore

// How a change of the store reaches the pages:
//
//   drain ends ──▶ ViewTree's handler ──▶ ScreenNews ──▶ (event loop) takeNews ──▶ a version
//     ──▶ tick ──▶ each page that can take it gets the frame from its tree to this one
//
// 1. All of this is used on one event loop only.
// 2. A version is a tree that the loop has seen. Trees that came and went between two looks have
//    none.
// 3. Frames are made in ticks, of which at most 60 a second send any. A frame is encoded once for
//    all pages with the same tree before.
// 4. Each page has an own pointer to the tree that it was sent last. What it missed is in the next
//    frame.

/// What the pages of one environment see of a store.
final class ServedScreen {
  let served: ServedStore
  let environment: PageEnvironment
  /// Whether it belongs to one page, which has scrolled a long list.
  let isPrivate: Bool
  let views: ViewTree
  private(set) var tree: Value
  private(set) var version: Int
  private let loop: any EventLoop
  private let versions: ScreenVersions
  private let isProduction: Bool
  private let news: ScreenNews
  private var pages: [ObjectIdentifier: Page] = [:]
  /// The animation of the latest versions, and the version that it led to.
  private var animation: (value: Value, version: Int)?
  /// The frames that lead to `version`, by the version before; nil for one that shows nothing new.
  private var frames: [Int: ByteBuffer?] = [:]
  /// When frames were sent last.
  private var lastTick = NIODeadline.uptimeNanoseconds(0)
  private var isTicking = false
  /// The pages that may get a frame in the next tick; nil for all.
  private var waiting: [Page]? = []
  /// Between two frames.
  private static let shortestTime = TimeAmount.nanoseconds(1_000_000_000 / 60)

  /// - Parameters:
  ///   - views: whose tree is there.
  ///   - news: those of `views`.
  init(
    _ served: ServedStore, _ environment: PageEnvironment, views: ViewTree, news: ScreenNews,
    isPrivate: Bool, isProduction: Bool, versions: ScreenVersions, on loop: any EventLoop
  ) {
    self.served = served
    self.environment = environment
    self.views = views
    self.news = news
    self.isPrivate = isPrivate
    self.isProduction = isProduction
    self.versions = versions
    self.loop = loop
    tree = views.value
    version = versions.next()
    news.screen.value = self
    takeNews()
  }

  deinit {
    // When the last reference to its views goes, a store may run scripts.
    let views = views
    served.async { _ = views }
  }

  /// Takes the tree that the views show now. That may be a later one than the one that was
  /// announced, and never an earlier one.
  func takeNews() {
    let newAnimation = news.take()
    let new = views.value
    guard !new.isIdentical(to: tree) else { return }
    tree = new
    version = versions.next()
    if let newAnimation { animation = (newAnimation, version) }
    frames = [:]
    waiting = nil
    requestTick()
  }

  func end() { news.end(served) }

  // MARK: Pages

  var isEmpty: Bool { pages.isEmpty }

  func add(_ page: Page) {
    pages[ObjectIdentifier(page)] = page
    pageMayTake(page)
  }

  func remove(_ page: Page) { pages[ObjectIdentifier(page)] = nil }

  /// The page may be able to take a frame, or have something to say.
  func pageMayTake(_ page: Page) {
    waiting?.append(page)
    requestTick()
  }

  private func requestTick() {
    guard !isTicking else { return }
    isTicking = true
    let (now, next) = (NIODeadline.now(), lastTick + ServedScreen.shortestTime)
    let bound = NIOLoopBound(self, eventLoop: loop)
    if next <= now {
      // The tick runs after the tasks that are in the event loop now, so that one frame has all
      // their changes.
      loop.execute { bound.value.tick() }
    } else {
      loop.scheduleTask(deadline: next) { bound.value.tick() }
    }
  }

  private func tick() {
    isTicking = false
    let candidates = waiting ?? Array(pages.values)
    waiting = []
    var hasSent = false
    for page in candidates where pages[ObjectIdentifier(page)] != nil {
      hasSent = page.take(from: self) || hasSent
    }
    // A page that says that it shows a frame does not delay the next one.
    if hasSent { lastTick = .now() }
  }

  /// The frame from an earlier tree to that of now; nil if it shows nothing new.
  func frame(from old: Value, _ oldVersion: Int) -> ByteBuffer? {
    if let known = frames[oldVersion] { return known }
    let animation = animation.flatMap {
      $0.version > oldVersion && oldVersion > 0 ? $0.value : Optional.none
    }
    let frame = Frame(
      version, from: old, to: tree, animation: animation, isProduction: isProduction)
    let buffer = frame.text.map { WebSocketBytes.text($0) }
    frames[oldVersion] = .some(buffer)
    return buffer
  }
}

/// The versions of all screens of a server.
final class ScreenVersions {
  private var last = 0

  /// Numbers versions, from 1. No two trees of a server have one number, so a page may go from one
  /// screen to another one.
  func next() -> Int {
    last += 1
    return last
  }
}
#endif
