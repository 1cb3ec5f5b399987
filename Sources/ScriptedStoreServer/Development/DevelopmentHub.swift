#if Server
import NIOCore
import ScriptedStore

/// What pages show an author: the errors that are not mended, and the bars that are open. It is used
/// on one event loop; without an open bar and errors it costs nothing.
final class DevelopmentHub {
  private final class Open {
    let page: Page
    let bar: DevelopmentBar
    /// The number of commands that wait for the store.
    var commands = 0

    init(_ page: Page, _ bar: DevelopmentBar) {
      self.page = page
      self.bar = bar
    }
  }

  private let loop: any EventLoop
  private let testSource: @Sendable (Recording) throws -> String
  private var bars: [ObjectIdentifier: Open] = [:]
  /// The last messages, for bars that are opened later.
  private var messages: [DevelopmentMessage] = []
  /// What is not mended, the newest last.
  private var problems: [DevelopmentMessage] = []
  private var ticks: RepeatedTask?

  private static let mostMessages = 50
  private static let mostProblems = 5
  /// The most commands of one bar that may wait for the store, so that other pages need not wait long.
  private static let mostCommands = 20
  private static let timeBetweenNews = TimeAmount.milliseconds(100)

  init(on loop: any EventLoop, testSource: @escaping @Sendable (Recording) throws -> String) {
    self.loop = loop
    self.testSource = testSource
  }

  // MARK: What happens to scripts

  /// Shows a message in all bars, and in those that are opened later; a problem in all pages.
  func add(_ message: DevelopmentMessage, to pages: some Sequence<Page>) {
    tell(message)
    guard message.problem != nil else { return }
    problems.removeAll { $0.value == message.value }
    problems.append(message)
    problems = problems.suffix(DevelopmentHub.mostProblems)
    for page in pages { showProblems(page) }
  }

  /// Scripts were saved. If they load, all is mended as far as one can know.
  func add(_ result: Result<ReloadReport, ReloadError>, to pages: some Sequence<Page>) {
    let messages = DevelopmentMessage.messages(of: result)
    for message in messages { tell(message) }
    let before = problems
    switch result {
    case .success: problems = []
    case .failure: problems = problems.filter { $0.problem != .loading } + messages
    }
    problems = problems.suffix(DevelopmentHub.mostProblems)
    guard problems.map(\.value) != before.map(\.value) else { return }
    for page in pages { showProblems(page) }
  }

  private func tell(_ message: DevelopmentMessage) {
    messages.append(message)
    if messages.count > DevelopmentHub.mostMessages { messages.removeFirst() }
    for open in bars.values { open.page.send(["dev": ["message": message.value]]) }
  }

  /// A page has come, and knows of no problems.
  func greet(_ page: Page) {
    if !problems.isEmpty { showProblems(page) }
  }

  private func showProblems(_ page: Page) {
    page.send(["dev": ["problems": .array(Value.List(problems.map(\.value)))]])
  }

  // MARK: From the bar

  func receive(_ command: Value, from page: Page) {
    switch command["dev"].string {
    case "open": open(page)
    case "close": close(page)
    default:
      guard let open = bars[ObjectIdentifier(page)] else { return }
      guard open.commands < DevelopmentHub.mostCommands else {
        page.send(["dev": ["refused": "the store is busy; try again"]])
        return
      }
      open.commands += 1
      let (bar, views, onLoop) = (open.bar, page.screen?.views, OnLoop(open, loop))
      bar.served.async {
        let answers = [bar.perform(command), bar.news(views)].compactMap { $0 }
        onLoop { open in
          open.commands -= 1
          for answer in answers { open.page.send(["dev": answer]) }
        }
      }
    }
  }

  private func open(_ page: Page) {
    let key = ObjectIdentifier(page)
    guard bars[key] == nil, let served = page.screen?.served, let history = served.history else {
      return
    }
    let open = Open(page, DevelopmentBar(served, history, testSource: testSource))
    bars[key] = open
    open.bar.begin()
    for message in messages { page.send(["dev": ["message": message.value]]) }
    sendNews(open)
    guard ticks == nil else { return }
    let bound = NIOLoopBound(self, eventLoop: loop)
    ticks = loop.scheduleRepeatedTask(
      initialDelay: DevelopmentHub.timeBetweenNews, delay: DevelopmentHub.timeBetweenNews
    ) { _ in bound.value.tick() }
  }

  func close(_ page: Page) {
    guard let open = bars.removeValue(forKey: ObjectIdentifier(page)) else { return }
    open.bar.end()
    guard bars.isEmpty else { return }
    ticks?.cancel()
    ticks = nil
  }

  // MARK: To the bar

  private func tick() { for open in bars.values { sendNews(open) } }

  private func sendNews(_ open: Open) {
    let (bar, views, onLoop) = (open.bar, open.page.screen?.views, OnLoop(open.page, loop))
    bar.served.async {
      guard let news = bar.news(views) else { return }
      onLoop { $0.send(["dev": news]) }
    }
  }
}
#endif
