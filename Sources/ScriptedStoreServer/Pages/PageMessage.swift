import ScriptView

/// A message from a page.
enum PageMessage {
  /// Something that a person has done.
  struct Event {
    let number: Int
    let path: ViewPath
    let kind: Kind
  }

  enum Kind {
    case gesture(ViewGesture)
    case typed(TextSplice)
    /// Other rows of a long list.
    case window(first: Int, count: Int)
  }

  /// The page shows a version, and a person has done something there.
  case shown(version: Int, Event?)
  case environment(Value)
  /// From the bar for development.
  case development(Value)

  /// Nil if the message is malformed.
  init?(_ value: Value) {
    guard case .object(let message) = value else { return nil }
    if let development = message["dev"] {
      guard development.string != nil else { return nil }
      self = .development(value)
    } else if let environment = message["env"] {
      self = .environment(environment)
    } else {
      guard let version = value["at"].int else { return nil }
      guard let number = message["n"] else {
        self = .shown(version: version, nil)
        return
      }
      guard let number = number.int, number > 0, let event = Event(number, value) else {
        return nil
      }
      self = .shown(version: version, event)
    }
  }
}

extension PageMessage.Event {
  fileprivate init?(_ number: Int, _ message: Value) {
    // Gestures as `back` need no path.
    guard let path = message["path"].isNull ? .root : WireID.path(message["path"]) else {
      return nil
    }
    let kind: PageMessage.Kind
    if let window = message["show"].array {
      guard window.count == 2, let first = window[0].int, let count = window[1].int,
        1...ViewWindow.mostRows ~= first, 0...ViewWindow.mostRows ~= count
      else { return nil }
      kind = .window(first: first, count: count)
    } else if message["gesture"] == "type" {
      guard let splice = TextSplice(message) else { return nil }
      kind = .typed(splice)
    } else {
      guard let gesture = WireID.gesture(message) else { return nil }
      kind = .gesture(gesture)
    }
    self.init(number: number, path: path, kind: kind)
  }
}
