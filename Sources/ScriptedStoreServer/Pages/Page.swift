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
// 4. `seen` counts up when the tree has what an event and all events before it did. It is told
//    behind the frame that has it, so it waits for that frame if the frame has to wait.
// 5. A refusal is kept for a while after it was sent, because the connection may end before it
//    arrives.

/// A page in a browser.
final class Page {
  /// By which the page is found again when it connects anew.
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
  /// The event of what was typed that is being performed.
  private var typing: Int?
  /// The text of the field that was typed in last, as the page had it at the last such event that
  /// has begun.
  private var performedText: [UInt16] = []
  /// The last one that the page was told.
  private var toldSeen = 0
  private var typed: TypedText?
  /// Answers to events that were refused, with the number of the event.
  private var refusals: [(event: Int, message: Value)] = []
  /// The number of refusals at the end of `refusals` that were not sent.
  private var untoldRefusals = 0
  /// Whether the screen of its environment is being looked for.
  var isFindingScreen = false
  /// When it went, if it has gone.
  var left = NIODeadline.uptimeNanoseconds(0)

  /// As many frames may be on their way.
  private static let mostFrames = 2
  /// As many events may wait for reducers.
  private static let mostEvents = 1_000
  /// As many refusals are kept.
  private static let mostRefusals = 100

  init(name: String, session: String, environment: PageEnvironment) {
    self.name = name
    self.session = session
    self.environment = environment
  }

  /// The number of the last event that is done together with all before it.
  private var seen: Int { outstanding.first.map { $0 - 1 } ?? lastEvent }

  // MARK: Connecting

  /// - Parameter version: that which the page shows; nil for none.
  /// - Returns: whether the page goes on where it was.
  func connect(_ connection: PageHandler, showing version: Int?) -> Bool {
    self.connection = connection
    toldSeen = seen
    guard let version, let index = shown.firstIndex(where: { $0.version == version }) else {
      shown = []
      typed = nil
      return false
    }
    // What was sent after it has not arrived.
    shown = [shown[index]]
    return true
  }

  /// Goes to a screen, and from the one that it has. The next frame leads there.
  func show(_ new: ServedScreen) {
    screen?.remove(self)
    screen = new
    new.add(self)
  }

  /// Tells the refusals of a page that goes on once more, from that of the event after `event` on.
  func repeatRefusals(after event: Int) {
    untoldRefusals = refusals.count { $0.event > event }
    tellRefusals()
  }

  func disconnect() {
    screen?.remove(self)
    screen = nil
    connection = nil
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

  /// Takes what is new on its screen, if it can. Returns whether that was a frame.
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

  /// What to do for an event, and in which tree.
  enum Task {
    case perform(ViewGesture, seen: Value)
    case window(first: Int, count: Int)
  }

  /// An event that came.
  private struct Arrival {
    let event: PageMessage.Event
    /// The tree in which the person has seen the node.
    let tree: Value
    let screen: ServedScreen
    /// For a change of a text, the text of the page with it, and that before it, if it is not that
    /// of the event before.
    var text: (before: [UInt16]?, after: [UInt16])?
  }

  /// An event came, which ``next()`` begins. Refuses what does not fit.
  func receive(_ event: PageMessage.Event, in version: Int, of screen: ServedScreen) {
    // The page sends again what it has sent before it was connected anew.
    guard event.number > lastEvent else { return }
    lastEvent = event.number
    guard outstanding.count < Page.mostEvents else { return close(WebSocketClose.policy) }
    outstanding.append(event.number)
    guard let tree = shown.first(where: { $0.version == version })?.tree else {
      if case .typed = event.kind { return finish(event.number, refusal: .again) }
      return finish(event.number, refusal: .message("the screen has changed; try again"))
    }
    guard case .typed(let splice) = event.kind else {
      return waiting.append(Arrival(event: event, tree: tree, screen: screen))
    }
    switch type(splice, event, in: tree) {
    case .text(let before, let after):
      waiting.append(Arrival(event: event, tree: tree, screen: screen, text: (before, after)))
    case .unfinished: finish(event.number)
    case .lost: finish(event.number, refusal: .again)
    case .refused: finish(event.number, refusal: .message("this text was not taken"))
    }
  }

  /// What to do next; nil if nothing waits, or if what waits cannot begin before other events are
  /// done.
  func next() -> (task: Task, event: PageMessage.Event, screen: ServedScreen)? {
    guard let first = waiting.first, typing == nil else { return nil }
    if let (before, after) = first.text {
      guard outstanding.first == first.event.number else { return nil }
      typing = first.event.number
      let change = TypedChange(before: before ?? performedText, after: after)
      performedText = after
      let field = ViewScreen(first.screen.tree).location(at: first.event.path)?.node
      waiting.removeFirst()
      let text = change.applied(to: field.map(TypedText.units) ?? change.before)
      return (.perform(.enter(.string(text)), seen: first.tree), first.event, first.screen)
    }
    waiting.removeFirst()
    switch first.event.kind {
    case .gesture(let gesture):
      return (.perform(gesture, seen: first.tree), first.event, first.screen)
    case .window(let start, let count):
      return (.window(first: start, count: count), first.event, first.screen)
    case .typed: return nil
    }
  }

  /// What follows from a change of a text.
  private enum Typing {
    /// The text before, if it is that of the tree, and the new one.
    case text(before: [UInt16]?, after: [UInt16])
    /// Another piece of the change follows.
    case unfinished
    /// The text that was changed is not here any more.
    case lost
    /// The field is not there, or its text would be too long.
    case refused
  }

  private func type(_ splice: TextSplice, _ event: PageMessage.Event, in tree: Value) -> Typing {
    if let from = splice.from {
      guard typed?.path == event.path, typed?.event == from else { return .lost }
    } else {
      guard let field = ViewScreen(tree).location(at: event.path) else { return .refused }
      typed = TypedText(event.path, field.node, event: event.number)
    }
    guard typed?.apply(splice, event: event.number) == true else {
      typed = nil
      return .refused
    }
    if splice.isUnfinished { return .unfinished }
    return .text(before: typed?.takeBeginning(), after: typed?.units ?? [])
  }

  /// Why an event did nothing.
  enum Refusal {
    /// A sentence for the person.
    case message(String)
    /// The person need not know of it.
    case silent
    /// What was typed cannot be put together, so that the page has to send the text once more.
    case again
  }

  /// The tree has what an event did, or it was refused.
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
