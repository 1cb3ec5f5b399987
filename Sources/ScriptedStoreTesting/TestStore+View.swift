@_exported import ScriptView
import ScriptedStore

extension TestStore {
  /// What the store's views show after the last asserted action. A test finds things there as a
  /// person does, by role and name, and does with them what a person can do:
  ///
  /// ```swift
  /// let store = try TestStore("todos", root: "scripts")
  /// try await store.view.find(.button, "Add").tap { $0["count"] = 1 }
  /// #expect(store.view.evaluated == ["todos[1]"])
  /// ```
  ///
  /// Views run from the first use on. At the end of an exhaustive test the screen is audited.
  public var view: TestStoreView { TestStoreView(store: self) }
}

/// The screen of a test store.
public struct TestStoreView: Sendable {
  let store: TestStore

  // MARK: Finding

  /// The only thing with this role and name.
  ///
  /// - Parameters:
  ///   - role: what it is.
  ///   - name: what it is called; nil for any name.
  ///   - number: which one of those, from 1; of rows, the number in the list, in its window or not.
  ///   - item: in which it is.
  ///   - isSelected: whether it is selected; nil for both.
  ///   - isDisabled: whether it is disabled; nil for both.
  /// - Throws: an error that says what there is on the screen, with the nearest names.
  public func find(
    _ role: ViewRole, _ name: String? = nil, number: Int? = nil, within item: TestStoreItem? = nil,
    isSelected: Bool? = nil, isDisabled: Bool? = nil
  ) throws(ScriptError) -> TestStoreItem {
    let query = ViewQuery(
      role.rawValue, name, number: number, within: item?.item.location.path,
      isSelected: isSelected, isDisabled: isDisabled)
    return TestStoreItem(item: try store.handle.perform { try $0.view.find(query) }, store: store)
  }

  /// The only thing with this role and name; nil if there is none.
  public func query(
    _ role: ViewRole, _ name: String? = nil, number: Int? = nil, within item: TestStoreItem? = nil
  ) throws(ScriptError) -> TestStoreItem? {
    let query = ViewQuery(
      role.rawValue, name, number: number, within: item?.item.location.path)
    let item = try store.handle.perform { try $0.view.viewScreen.query(query) }
    return item.map { TestStoreItem(item: $0, store: store) }
  }

  /// Everything with this role and name, in the order of the screen.
  public func all(
    _ role: ViewRole, _ name: String? = nil, within item: TestStoreItem? = nil
  ) throws(ScriptError) -> [TestStoreItem] {
    let query = ViewQuery(role.rawValue, name, within: item?.item.location.path)
    let items = try store.handle.perform { try $0.view.viewScreen.all(query) }
    return items.map { TestStoreItem(item: $0, store: store) }
  }

  // MARK: Doing

  /// Presses a shortcut, as `"mod+n"`, and asserts what that makes of the state.
  @discardableResult
  public func press(
    _ shortcut: String, assert expect: ((inout Value) throws -> Void)? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, isolation: isolated (any Actor)? = #isolation
  ) async -> TestStoreTask {
    store.perform(at: .init(fileID, filePath, line, column), expect) {
      $0.view.perform(.press(shortcut), on: nil)
    }
  }

  /// Goes back in a navigation, and asserts what that makes of the state.
  @discardableResult
  public func back(
    assert expect: ((inout Value) throws -> Void)? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, isolation: isolated (any Actor)? = #isolation
  ) async -> TestStoreTask {
    store.perform(at: .init(fileID, filePath, line, column), expect) {
      $0.view.perform(.back, on: nil)
    }
  }

  /// Closes the topmost sheet, alert or the like, and asserts what that makes of the state.
  @discardableResult
  public func dismiss(
    assert expect: ((inout Value) throws -> Void)? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, isolation: isolated (any Actor)? = #isolation
  ) async -> TestStoreTask {
    store.perform(at: .init(fileID, filePath, line, column), expect) {
      $0.view.perform(.dismiss, on: nil)
    }
  }

  // MARK: Looking

  /// The tree of nodes; `docs/view-api.md` describes it.
  public var tree: Value { (try? store.handle.perform { $0.view.tree }) ?? .null }

  /// The places whose views have run for the last statement, as `todos[1]`; empty for the root.
  public var evaluated: [String] { (try? store.handle.perform { $0.view.evaluated }) ?? [] }

  /// The screen as text.
  ///
  /// - Parameter width: the number of columns; nil for those of ``resize(toColumns:fileID:filePath:line:column:)``, and 80
  ///   without it.
  public func text(width: Int? = nil) -> String {
    let columns = width ?? (try? store.handle.perform { $0.view.columns }) ?? 80
    return TextDrawing.draw(seen, width: columns)
  }

  /// The screen as canonical HTML.
  public var html: String { HTMLDrawing.draw(seen) }

  /// What keeps people from using the screen.
  public var audit: [ViewFinding] { ViewScreen(seen).audit() }

  /// The tree with what the test has chosen in tabs and disclosures without a binding.
  private var seen: Value {
    (try? store.handle.perform { $0.view.viewScreen.root.node.value }) ?? .null
  }

  /// Sets the width of the screen in columns. Views see fewer than 60 as the `width` `"compact"`, and all others as
  /// `"regular"`.
  public func resize(
    toColumns columns: Int,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) {
    store.perform(at: .init(fileID, filePath, line, column)) {
      $0.view.resize(to: ViewScreen.width(columns: columns), columns: columns)
      return nil
    }
  }

  /// Gives the views another value in their environment, as `"width"`.
  public func setEnvironment(
    _ name: String, to value: Value,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) {
    store.perform(at: .init(fileID, filePath, line, column)) {
      $0.view.setEnvironment(name, to: value)
      return nil
    }
  }
}

/// Something that a test has found on a screen.
public struct TestStoreItem: Sendable {
  let item: ViewItem
  let store: TestStore

  public var role: ViewRole { ViewRole(rawValue: item.role) }
  public var name: String? { item.name }
  /// What a control shows.
  public var value: Value { item.option?.value ?? item.location.node["value"] ?? .null }
  public var isDisabled: Bool { item.isDisabled }
  public var isSelected: Bool { item.isSelected }
  public var path: ViewPath { item.location.path }

  /// The only thing inside of this one with a role and name.
  public func find(
    _ role: ViewRole, _ name: String? = nil, number: Int? = nil
  ) throws(ScriptError) -> TestStoreItem {
    try store.view.find(role, name, number: number, within: self)
  }

  /// Uses a button, a link or a toggle, selects a row, and asserts what that makes of the state.
  @discardableResult
  public func tap(
    assert expect: ((inout Value) throws -> Void)? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, isolation: isolated (any Actor)? = #isolation
  ) async -> TestStoreTask {
    store.perform(at: .init(fileID, filePath, line, column), expect) {
      $0.view.perform(.tap, on: item)
    }
  }

  /// Appends text to what a field has, which sends one action, and asserts what that makes of the
  /// state.
  @discardableResult
  public func type(
    _ text: String, assert expect: ((inout Value) throws -> Void)? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, isolation: isolated (any Actor)? = #isolation
  ) async -> TestStoreTask {
    let entered = (item.location.node.scalar("value") ?? "") + text
    return store.perform(at: .init(fileID, filePath, line, column), expect) {
      $0.view.perform(.enter(.string(entered)), on: item)
    }
  }

  /// Enters a whole value: a text, an option, a number, whether a toggle is on; and asserts what
  /// that makes of the state.
  @discardableResult
  public func set(
    _ value: Value, assert expect: ((inout Value) throws -> Void)? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, isolation: isolated (any Actor)? = #isolation
  ) async -> TestStoreTask {
    store.perform(at: .init(fileID, filePath, line, column), expect) {
      $0.view.perform(.enter(value), on: item)
    }
  }

  /// Moves this row before a row of its list or of another one, which may be one past the last, and
  /// asserts what that makes of the state.
  @discardableResult
  public func move(
    to row: Int, in list: TestStoreItem? = nil,
    assert expect: ((inout Value) throws -> Void)? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, isolation: isolated (any Actor)? = #isolation
  ) async -> TestStoreTask {
    store.perform(at: .init(fileID, filePath, line, column), expect) {
      $0.view.perform(.move([], to: row, into: list?.path), on: item)
    }
  }

  /// Any other gesture, and asserts what it makes of the state.
  @discardableResult
  public func perform(
    _ gesture: ViewGesture, assert expect: ((inout Value) throws -> Void)? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, isolation: isolated (any Actor)? = #isolation
  ) async -> TestStoreTask {
    store.perform(at: .init(fileID, filePath, line, column), expect) {
      $0.view.perform(gesture, on: item)
    }
  }

  /// Scrolls a list so that a row is shown.
  public func scroll(
    to row: Int, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    store.perform(at: .init(fileID, filePath, line, column)) {
      try $0.view.scroll(item.location.path, to: row)
      return nil
    }
  }
}
