// TerminalScreen is the screen of a feature in use on a terminal.
//
//   keys ──▶ handle ──▶ gestures ──▶ source (a store)
//                                       │ tree
//   bytes ◀── cells ◀── layers ◀── update
//
// 1. What the state does not know is kept here: the focus, the caret, scrolling, which tab of tabs
//    without a binding is chosen, and which menu is open. All of it is known by the paths of nodes, so
//    it is still there when the screen changes or scripts are loaded again. The focus and the caret
//    follow a node that has a name to another path.
// 2. `layers` is what the last `update` has laid out, the topmost last. Keys and the mouse are about
//    the topmost.
// 3. Nothing here knows a terminal: the caller reads keys, writes bytes, and knows the size.

import ScriptValue
import ScriptView

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Where a screen comes from, and where gestures go.
public protocol ScreenSource: AnyObject {
  /// The tree as it is now.
  var tree: Value { get }
  /// Whether the tree shows all that follows from the gestures so far.
  var isSettled: Bool { get }

  /// Does what a person does with a node.
  ///
  /// - Parameter shown: the tree that the person sees, which has other values than `tree` where
  ///   those are only the person's concern.
  func perform(
    _ gesture: ViewGesture, at path: ViewPath, in shown: Value
  ) throws(ViewRefusal) -> ViewOutcome

  /// Shows other rows of a long list, as `ViewTree` does.
  func show(_ list: ViewPath, first: Int, count: Int)

  /// Keeps a file of the person's machine, and enters it into the `file` element at a path. A source that does not say how
  /// refuses that.
  ///
  /// - Parameters:
  ///   - file: its path on this machine, as it was typed.
  ///   - shown: the tree that the person sees.
  func choose(file: String, at path: ViewPath, in shown: Value) throws(ViewRefusal)
}

extension ScreenSource {
  public func choose(file: String, at path: ViewPath, in shown: Value) throws(ViewRefusal) {
    throw ViewRefusal(.impossible, "no files can be chosen here, because nothing would keep them")
  }
}

/// A screen that is used on a terminal: lays it out, handles keys and the mouse, and makes the bytes
/// that change what the terminal shows.
public final class TerminalScreen {
  /// What the caller has to do after a key.
  public enum Reaction: Hashable, Sendable {
    case none
    /// The person wants to leave, by Ctrl-C.
    case leave
    /// Escape was pressed, and there was nothing to close or to go back from.
    case escape
    /// The person wants to suspend the program, by Ctrl-Z.
    case suspend
  }

  let source: any ScreenSource
  let takesColor: Bool
  public private(set) var size: TerminalSize
  /// The tree with the person's own choices.
  private(set) var tree: Value = .null
  private(set) var layers: [LayerDrawing] = []
  var choices = ReaderChoices()
  /// The menu or picker that is open.
  var opened: ViewPath?
  /// Whether the list of shortcuts is open.
  var listsShortcuts = false
  var focus = ScreenFocus()
  private var places = ScreenPlaces()
  var edit: FieldEdit?
  /// The row that the focus follows into another list.
  var dropped: DroppedRow?
  /// Whether the next layout scrolls to the focus.
  var revealsFocus = true
  /// What the last row says in the place of keys, until the next key.
  public var message: String?
  /// A text for the clipboard of the person, until ``bytes()`` has it.
  var copied: String?
  private var writer = FrameWriter()

  public init(_ source: any ScreenSource, size: TerminalSize, takesColor: Bool) {
    self.source = source
    self.size = size
    self.takesColor = takesColor
    update()
  }

  /// The layer that can be used.
  var top: LayerDrawing { layers[layers.count - 1] }

  /// The stop that has the focus.
  var focused: FocusStop? { focusedIndex.map { top.stops[$0] } }

  var focusedIndex: Int? { focus[top.id].flatMap { top.index(of: $0) } }

  public func resize(to size: TerminalSize) {
    self.size = size
    revealsFocus = true
    writer.forget()
    update()
  }

  /// Forgets what the terminal shows, as after another program has written on it.
  public func redraw() { writer.forget() }

  // MARK: Layout

  /// Lays out the tree as it is now.
  public func update() {
    layOut()
    // A new window of a list may show rows that need another one.
    for _ in 0..<3 where showMoreRows() { layOut(holdsRows: true) }
  }

  /// The tree as it is now, with the person's own choices.
  func refresh() { tree = choices.applied(to: source.tree) }

  func layOut(holdsRows: Bool = false) {
    refresh()
    let screen = ViewScreen(tree)
    let stops = FocusStop.stops(of: screen.top)
    let menu = opened.flatMap { path in stops.first { $0.id.path == path }?.location }
    if menu == nil { opened = nil }
    let topID = menu.map { .opened($0.path) } ?? LayerDrawing.ID.layer(screen.top.content.path)
    let topStops = menu.map { FocusStop.stops(opened: $0) } ?? stops
    let known = focus[topID]
    let scroll = menu == nil ? returnToPlace(screen.top.content, topID) : nil
    if menu == nil { followDropped(screen.root, topID, topStops) }
    if menu == nil, focus.follow(screen.top, topID, stops) { revealsFocus = true }
    // A stop that has just got the focus is one of the new layout already.
    let before = focus[topID] == known ? layers.last { $0.id == topID }?.stops ?? [] : []
    if focus.settle(topID, topStops, before: before) {
      revealsFocus = true
    }
    takeValue(topStops.first { $0.id == focus[topID] })

    let layout = ScreenLayout(size: size, reader: ScreenReader(edit: edit?.shown))
    let old = layers
    layers = screen.layers.map { layer in
      layout.drawing(layer, layer.content.path == screen.top.content.path ? stops : [])
    }
    if let menu { layers.append(layout.drawing(opened: menu, topStops, over: top)) }
    if listsShortcuts, let list = shortcutList(of: screen.top) {
      layers.append(layout.drawing(.shortcuts, of: list))
    } else {
      listsShortcuts = false
    }
    for index in layers.indices {
      let layer = layers[index]
      guard let before = old.first(where: { $0.id == layer.id }) else { continue }
      layers[index].scroll = min(before.scroll, layer.lastScroll)
      if before.scroll > 0 || holdsRows { layers[index].hold(before.anchor) }
    }
    if let scroll, let index = layers.firstIndex(where: { $0.id == topID }) {
      layers[index].scroll = min(scroll, layers[index].lastScroll)
    }
    if revealsFocus { revealFocus() }
    revealsFocus = false
    focus.forget(except: Set(layers.map(\.id)))
    places.forget(except: Set(layers.map(\.id)))
  }

  /// Gives the focus to what had it in a screen of a stack that is shown again. Returns how far that
  /// was scrolled, and 0 for a screen that is new; nil if the same one is shown as before.
  private func returnToPlace(_ content: ViewLocation, _ layer: LayerDrawing.ID) -> Int? {
    let place = ScreenPlaces.Place(
      focus: focus[layer], scroll: layers.last { $0.id == layer }?.scroll ?? 0)
    guard let left = places.show(content, layer, leaving: place) else { return nil }
    if let left { focus[layer] = left.focus }
    revealsFocus = true
    return left?.scroll ?? 0
  }

  /// Gives the focus to the row that was dropped, when it is there.
  private func followDropped(_ root: ViewLocation, _ layer: LayerDrawing.ID, _ stops: [FocusStop]) {
    guard let row = dropped else { return }
    let stop = row.stop(in: root, stops)
    if let stop {
      focus[layer] = stop.id
      revealsFocus = true
    }
    if stop != nil || source.isSettled { dropped = nil }
  }

  /// Brings the text that is edited together with the value of its field.
  private func takeValue(_ stop: FocusStop?) {
    guard let stop, stop.takesText else {
      edit = nil
      return
    }
    guard edit?.follow(stop) == true else {
      edit = FieldEdit(stop)
      return
    }
    edit?.take(stop.location.node.scalar("value") ?? "", isSettled: source.isSettled)
  }

  private func revealFocus() {
    let index = layers.count - 1
    guard let focused = focusedIndex, let bounds = top.bounds[focused] else { return }
    if let caret = top.canvas.caret { return layers[index].reveal(line: caret.line, count: 1) }
    layers[index].reveal(line: bounds.row, count: bounds.rows)
    // What stands before the first stop, and behind the last one, cannot be reached otherwise.
    let rows = top.viewport.rows
    if focused == 0, bounds.row + bounds.rows <= rows { layers[index].scroll = 0 }
    if focused == top.stops.count - 1, top.canvas.lines.count - bounds.row <= rows {
      layers[index].scroll = top.lastScroll
    }
  }

  /// Scrolls the topmost layer by lines. Returns whether it moved.
  @discardableResult
  func scroll(by lines: Int) -> Bool {
    let scroll = min(max(top.scroll + lines, 0), top.lastScroll)
    guard scroll != top.scroll else { return false }
    layers[layers.count - 1].scroll = scroll
    return true
  }

  // MARK: Drawing

  /// The bytes that make the terminal show the screen; empty if it does.
  public func bytes() -> [UInt8] {
    var painter = ScreenPainter(size, takesColor: takesColor)
    for (index, layer) in layers.enumerated() {
      let isTop = index == layers.count - 1
      painter.paint(layer, focus: isTop ? focusedIndex : nil, canClose: isTop && canClose)
    }
    if size.hasStatus { paintStatus(on: &painter) }
    return takeCopied() + writer.bytes(for: painter.grid, cursor)
  }

  /// The sequence by which a terminal puts a text into the clipboard (OSC 52). One that does not know it, or does not allow it,
  /// ignores it.
  private func takeCopied() -> [UInt8] {
    guard let text = copied else { return [] }
    copied = nil
    return Array("\u{1B}]52;c;\(Data(text.utf8).base64EncodedString())\u{07}".utf8)
  }

  /// Whether the topmost layer is one that a person closes: an alert wants an answer.
  var canClose: Bool {
    guard case .presentation(let name)? = top.location.step else { return top.isOpened }
    return name != "alert"
  }

  /// The cursor stands in the text that is edited, or unseen where the focus is, because screen
  /// readers follow it.
  private var cursor: FrameWriter.Cursor {
    let layer = top
    var place = layer.canvas.caret
    let isText = place != nil
    if place == nil, let index = focusedIndex, let bounds = layer.bounds[index] {
      place = Canvas.Position(column: bounds.column, line: bounds.row)
    }
    let usual = FrameWriter.Cursor(column: 0, row: size.rows - 1, isVisible: false)
    guard let place else { return usual }
    let column = layer.viewport.column + place.column
    let row = layer.viewport.row + place.line - layer.scroll
    guard layer.viewport.contains(column: column, row: row) else { return usual }
    return FrameWriter.Cursor(column: column, row: row, isVisible: isText)
  }
}
