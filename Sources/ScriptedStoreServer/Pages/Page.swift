#if Server
import NIOCore
import ScriptView
import ScriptedStore

/// The connection of a page, as ``Page`` uses it.
protocol PageConnection: AnyObject {
  /// Whether the browser has taken what was sent.
  var isWritable: Bool { get }
  func send(_ bytes: ByteBuffer)
  func close(_ code: UInt16)
}

// What the server knows of one page. All of it is used on one event loop.
//
// 1. `shown` are the trees from the one that the page has acknowledged to the last one that it was sent: the trees that a
//    person may see there. It is empty until the first frame, and never has more than three.
// 2. An event says in which of them the person has seen the node. It is looked up there (`ServedStore`'s queue).
// 3. `seen` counts up when the tree has what an event did. It is told behind the frame that has it, so it waits for that frame
//    if the frame has to wait.

/// A page in a browser.
final class Page {
  /// By which the page is found again when it connects anew.
  let name: String
  let session: String
  var environment: PageEnvironment
  private(set) var screen: ServedScreen?
  private weak var connection: (any PageConnection)?
  private var shown: [(version: Int, tree: Value)] = []
  /// The number of the last event that came, and of the last one that the tree has.
  private(set) var lastEvent = 0
  private var seen = 0
  /// The last one that the page was told.
  private var toldSeen = 0
  private var typed: TypedText?
  /// The number of events that wait for reducers.
  private var inFlight = 0
  /// When it went, if it has gone.
  var left = NIODeadline.uptimeNanoseconds(0)

  /// As many frames may be on their way.
  private static let mostFrames = 2
  /// As many events may wait for reducers.
  private static let mostEvents = 1_000

  init(name: String, session: String, environment: PageEnvironment) {
    self.name = name
    self.session = session
    self.environment = environment
  }

  // MARK: Connecting

  /// - Parameter version: that which the page shows; nil for none.
  /// - Returns: whether the page goes on where it was.
  func connect(_ connection: any PageConnection, showing version: Int?) -> Bool {
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
    guard toldSeen < seen, connection?.isWritable == true else { return }
    toldSeen = seen
    send(["seen": Value(seen)])
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

  /// What follows from an event; nil if nothing has to be done. Refuses what does not fit.
  func task(of event: PageMessage.Event, in version: Int) -> Task? {
    // The page sends again what it has sent before it was connected anew.
    guard event.number > lastEvent else { return nil }
    lastEvent = event.number
    guard inFlight < Page.mostEvents else {
      close(WebSocketClose.policy)
      return nil
    }
    inFlight += 1
    guard let tree = shown.first(where: { $0.version == version })?.tree else {
      if case .typed = event.kind {
        askForWholeText(event.number)
      } else {
        finish(event.number, refusal: "the screen has changed; try again")
      }
      return nil
    }
    switch event.kind {
    case .gesture(let gesture): return .perform(gesture, seen: tree)
    case .window(let first, let count): return .window(first: first, count: count)
    case .typed(let splice):
      switch type(splice, event, in: tree) {
      case .text(let text): return .perform(.enter(.string(text)), seen: tree)
      case .unfinished: finish(event.number)
      case .lost: askForWholeText(event.number)
      case .refused: finish(event.number, refusal: "this text was not taken")
      }
      return nil
    }
  }

  /// What follows from a change of a text.
  private enum Typing {
    case text(String)
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
    guard typed?.apply(splice, event: event.number) == true, let text = typed?.text else {
      typed = nil
      return .refused
    }
    return splice.isUnfinished ? .unfinished : .text(text)
  }

  /// What was typed cannot be put together, so that the page has to send the text once more.
  private func askForWholeText(_ event: Int) {
    send(["refused": Value(event), "again": 1])
    finish(event)
  }

  /// The tree has what an event did, or it was refused.
  func finish(_ event: Int, refusal: String? = nil) {
    seen = max(seen, event)
    inFlight -= 1
    if let refusal {
      send(["refused": Value(event), "message": .string(refusal)])
    }
    screen?.pageMayTake(self)
  }

  /// An event was refused that a person need not know of.
  func finishSilently(_ event: Int) {
    send(["refused": Value(event)])
    finish(event)
  }
}

/// Why connections end: RFC 6455 and its registry.
enum WebSocketClose {
  static let normal: UInt16 = 1000
  static let goingAway: UInt16 = 1001
  static let protocolError: UInt16 = 1002
  static let unsupported: UInt16 = 1003
  static let notText: UInt16 = 1007
  static let policy: UInt16 = 1008
  static let tooLarge: UInt16 = 1009
  static let tryLater: UInt16 = 1013
}
#endif
