#if Server
import NIOCore
import ScriptView
import ScriptedStore

// What the server knows of one page. All of it is used on one event loop.
//
// 1. `shown` are the trees from the one that the page has acknowledged to the last one that it was
//    sent: the trees that a person may see there. It is empty until the first frame, and never has
//    more than three.
// 2. An event says in which of them the person has seen the node. It is looked up there
//    (`ServedStore`'s queue).
// 3. Events begin in their order, and several may be performed at the same time. What was typed is
//    performed alone, because the text depends on what the events before it have made of the field.
//    Other rows of a list wait while a screen is being found: they are for the new one.
// 4. All events up to the number `seen` are done. The page gets `seen` after the frame that shows the
//    changes of these events. If the frame has to wait, `seen` waits too.
// 5. A refusal is kept for a while after it was sent, because the connection may end before it
//    arrives.

/// A page in a browser.
final class Page {
  /// The name by which the page is found again when it connects anew.
  let name: String
  let session: String
  var environment: PageEnvironment
  private(set) var screen: ServedScreen?
  private weak var connection: PageHandler?
  private var shown: [(version: Int, tree: Value)] = []
  /// The number of the last event that came.
  private(set) var lastEvent = 0
  /// The numbers of the events that came and are not done, in order.
  private var outstanding: [Int] = []
  /// Those of them that have not begun.
  private var waiting: [Arrival] = []
  /// The number of the event of a typed text that is being performed.
  private var typing: Int?
  /// The text of the field that was typed in last, as the page had it at the last such event that
  /// has begun.
  private var performedText: [UInt16] = []
  /// The last number of ``seen`` that the page was told.
  private(set) var toldSeen = 0
  private var typed: TypedText?
  /// Answers to events that were refused, with the number of the event.
  private var refusals: [(event: Int, message: Value)] = []
  /// The number of refusals at the end of `refusals` that were not sent.
  private var untoldRefusals = 0
  /// The messages that came before there was a screen, as after the page was connected anew.
  private var early: [PageMessage] = []
  /// Whether the screen of its environment, or a screen of its own, is being found.
  var isFindingScreen = false
  /// When the connection ended, if the page has none.
  var left = NIODeadline.uptimeNanoseconds(0)

  /// The most frames that may be in flight.
  private static let mostFrames = 2
  /// The most events that may wait for reducers.
  private static let mostEvents = 1_000
  /// The most refusals that are kept.
  private static let mostRefusals = 100

  init(name: String, session: String, environment: PageEnvironment) {
    self.name = name
    self.session = session
    self.environment = environment
  }

  /// The number up to which all events are done.
  private var seen: Int { outstanding.first.map { $0 - 1 } ?? lastEvent }

  // MARK: Connecting

  /// - Parameters:
  ///   - version: that which the page shows; nil for none.
  ///   - event: the last one that the page knows to be done.
  /// - Returns: whether the page goes on where it was.
  func connect(_ connection: PageHandler, showing version: Int?, knowing event: Int?) -> Bool {
    self.connection = connection
    toldSeen = seen
    guard let version, let index = shown.firstIndex(where: { $0.version == version }) else {
      shown = []
      typed = nil
      return false
    }
    // What was sent after it has not arrived.
    shown = [shown[index]]
    // What else is done it hears after the frame that shows it.
    toldSeen = min(event ?? seen, seen)
    return true
  }

  /// Goes to a screen, and from the one that it has. The next frame leads there.
  func show(_ new: ServedScreen) {
    screen?.remove(self)
    screen = new
    new.add(self)
  }

  /// Tells a page that goes on once more what was refused after the event `event`.
  func repeatRefusals(after event: Int) {
    untoldRefusals = refusals.count { $0.event > event }
    tellRefusals()
  }

  func disconnect() {
    screen?.remove(self)
    screen = nil
    connection = nil
    early = []
  }

  /// Keeps a message that needs a screen until there is one. Returns whether the message waits.
  func keep(_ message: PageMessage) -> Bool {
    guard screen == nil else { return false }
    switch message {
    case .environment, .shown(_, nil): return false
    case .shown, .development: break
    }
    if early.count < Page.mostEvents {
      early.append(message)
    } else {
      close(WebSocketClose.policy)
    }
    return true
  }

  /// Takes out the messages that have waited for a screen, in their order.
  func takeEarly() -> [PageMessage] {
    defer { early = [] }
    return early
  }

  /// Sends a message, unless the browser does not take what it was sent before.
  func send(_ message: Value) {
    guard connection?.isWritable == true else { return }
    var text: [UInt8] = []
    message.appendJSON(to: &text)
    connection?.send(WebSocketBytes.text(text))
  }

  func close(_ code: UInt16) { connection?.close(code) }

  /// Ends the connection, which has nothing to do with the page any more.
  func leaveConnection() { connection?.leavePage() }

  /// The tree that a person sees in a version; nil if the page does not show it any more.
  func tree(in version: Int) -> Value? { shown.first { $0.version == version }?.tree }

  // MARK: Frames

  /// Sends what is new on its screen, if the page can take it. Returns whether a frame was sent.
  func take(from screen: ServedScreen) -> Bool {
    guard screen === self.screen, let connection else { return false }
    let last = shown.last
    guard last?.version != screen.version else {
      tellSeen()
      return false
    }
    guard connection.isWritable, shown.count <= Page.mostFrames else { return false }
    let frame = screen.frame(from: last?.tree ?? .null, last?.version ?? 0)
    if let frame {
      shown.append((screen.version, screen.tree))
      connection.send(frame)
    }
    tellSeen()
    return frame != nil
  }

  private func tellSeen() {
    tellRefusals()
    guard toldSeen < seen, connection?.isWritable == true else { return }
    toldSeen = seen
    send(["seen": Value(seen)])
  }

  private func tellRefusals() {
    while untoldRefusals > 0, connection?.isWritable == true {
      send(refusals[refusals.count - untoldRefusals].message)
      untoldRefusals -= 1
    }
  }

  /// The page shows a version.
  func acknowledge(_ version: Int) {
    guard let index = shown.firstIndex(where: { $0.version == version }), index > 0 else { return }
    shown.removeFirst(index)
    screen?.pageMayTake(self)
  }

  /// The connection takes more again.
  func becameWritable() { screen?.pageMayTake(self) }

  // MARK: Events

  /// What is done for an event.
  enum Work {
    case perform(ViewGesture)
    /// Show other rows of a long list.
    case showRows(first: Int, count: Int)
  }

  /// An event that came.
  struct Arrival {
    let number: Int
    let path: ViewPath
    /// The tree in which the person has seen the node.
    let tree: Value
    let screen: ServedScreen
    fileprivate let content: Content
  }

  fileprivate enum Content {
    case work(Work)
    /// A text was typed. `after` is the text that the page has now. `before` is the text of the tree, or
    /// nil if the page has changed the `after` of an earlier event.
    case text(before: [UInt16]?, after: [UInt16])
  }

  /// An event came, which ``next()`` begins. Refuses what does not fit.
  func receive(_ event: PageMessage.Event, in version: Int, of screen: ServedScreen) {
    // The page sends again what it has sent before it was connected anew.
    guard event.number > lastEvent else { return }
    lastEvent = event.number
    guard outstanding.count < Page.mostEvents else { return close(WebSocketClose.policy) }
    outstanding.append(event.number)
    guard let tree = tree(in: version) else {
      if case .typed = event.kind { return finish(event.number, refusal: .again) }
      return finish(event.number, refusal: .message("the screen has changed; try again"))
    }
    let content: Content
    switch event.kind {
    case .gesture(let gesture): content = .work(.perform(gesture))
    case .window(let first, let count): content = .work(.showRows(first: first, count: count))
    case .typed(let splice):
      do throws(Refusal) {
        guard let text = try type(splice, event, in: tree) else { return finish(event.number) }
        content = text
      } catch {
        return finish(event.number, refusal: error)
      }
    }
    waiting.append(
      Arrival(
        number: event.number, path: event.path, tree: tree, screen: screen, content: content))
  }

  /// Takes a change of a text. Returns nil if another piece of the change follows.
  private func type(
    _ splice: TextSplice, _ event: PageMessage.Event, in tree: Value
  ) throws(Refusal) -> Content? {
    let notTaken = Refusal.message("this text was not taken")
    if let from = splice.from {
      guard typed?.path == event.path, typed?.event == from else { throw .again }
    } else {
      guard let field = ViewScreen(tree).location(at: event.path) else { throw notTaken }
      typed = TypedText(event.path, field.node, event: event.number)
    }
    guard typed?.apply(splice, event: event.number) == true else {
      typed = nil
      throw notTaken
    }
    if splice.isUnfinished { return nil }
    return .text(before: typed?.takeBeginning(), after: typed?.units ?? [])
  }

  /// Takes out the next event that can begin; nil if none waits, or if the next one cannot begin before
  /// other events are done.
  func next() -> (work: Work, event: Arrival)? {
    guard let first = waiting.first, typing == nil else { return nil }
    let work: Work
    switch first.content {
    case .work(let known):
      if case .showRows = known, isFindingScreen { return nil }
      work = known
    case .text(let before, let after):
      guard outstanding.first == first.number else { return nil }
      typing = first.number
      let change = TypedChange(before: before ?? performedText, after: after)
      performedText = after
      let now = ViewLocation(root: first.screen.tree)
      let field = ViewLocation(root: first.tree).descending(first.path)
        .flatMap { now.descending(now.path(of: $0)) }
      let text = change.applied(to: field.map { TypedText.units(of: $0.node) } ?? change.before)
      work = .perform(.enter(.string(text)))
    }
    waiting.removeFirst()
    return (work, first)
  }

  /// Why an event did nothing.
  enum Refusal: Error {
    /// A sentence for the person.
    case message(String)
    /// The person need not know of it.
    case silent
    /// What was typed cannot be put together, so that the page has to send the text once more.
    case again
  }

  /// An event is done: the tree has what it did, or it was refused.
  func finish(_ event: Int, refusal: Refusal? = nil) {
    if let refusal { refuse(event, refusal) }
    if typing == event { typing = nil }
    if let index = outstanding.firstIndex(of: event) { outstanding.remove(at: index) }
    screen?.pageMayTake(self)
  }

  private func refuse(_ event: Int, _ refusal: Refusal) {
    var message: Value.Object = ["refused": Value(event)]
    switch refusal {
    case .message(let text): message["message"] = .string(text)
    case .silent: break
    case .again: message["again"] = 1
    }
    refusals.append((event, .object(message)))
    if refusals.count > Page.mostRefusals { refusals.removeFirst() }
    untoldRefusals = min(untoldRefusals + 1, refusals.count)
    tellRefusals()
  }
}
#endif
