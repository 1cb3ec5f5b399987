import LuaBridge

extension Reducer {
  /// Draws a state: returns a node, as `Value.object` with a `kind`, or null for nothing.
  public typealias ViewBody =
    @Sendable (_ state: ViewState, _ environment: ViewState) throws -> Value

  /// Gives the reducer a view, which counts instead of those in it. `docs/view-api.md` says what it may return.
  ///
  /// The view runs again when something has changed that it has read of `state` and `environment`.
  ///
  /// ```swift
  /// let app = Reducer.script("counter").view { state, _ in
  ///   ["kind": "text", "text": .string("Count: \(state["count"].int ?? 0)")]
  /// }
  /// ```
  public func view(
    file: StaticString = #fileID, line: UInt = #line, _ body: @escaping ViewBody
  ) -> Reducer {
    let origin = "view at \(file):\(line)"
    return Reducer(origin: origin) { (compiler, builder) throws(ScriptError) in
      let base = try compiler.compile(.swift(self), &builder)
      return compiler.view(.host(body), base, origin, builder)
    }
  }
}

extension ReducerCompiler {
  func view(
    _ description: LuaTable, _ origin: String, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    let base = try compile(try description.base(origin), &builder)
    guard let handler = try description.handler("view") else {
      throw ScriptError("\(origin) has no function")
    }
    return view(.script(handler), base, origin, builder)
  }

  fileprivate func view(
    _ body: ViewFunction.Body, _ base: ReducerNode, _ origin: String,
    _ builder: borrowing DomainBuilder
  ) -> ReducerNode {
    let name = builder.name ?? origin
    let view = ViewFunction(
      body: body, owner: modules.vm.arena.pointee.owner(named: name), feature: name,
      origin: origin)
    return ViewNode(base, view, origin: origin)
  }
}

/// A reducer with a view.
final class ViewNode: WrapperNode {
  init(_ base: ReducerNode, _ view: ViewFunction, origin: String) {
    super.init(base, origin: origin, feature: base.feature, view: view)
  }

  override func reduce(
    _ context: ReduceContext, _ draft: Int32, _ action: borrowing ActionCursor
  ) throws(ScriptError) -> ReturnedEffects {
    try base.reduce(context, draft, action)
  }
}

/// The function by which a reducer is drawn.
struct ViewFunction {
  enum Body {
    case script(Handler)
    case host(Reducer.ViewBody)
  }

  let body: Body
  /// The number of the feature's name, for messages about what the view keeps too long.
  let owner: UInt16
  /// The feature that is drawn.
  let feature: String
  /// Where the view was declared: `view at todos.lua:12`.
  let origin: String

  /// An error of the view with its place: what the view returned has none of its own, so the view's is shown.
  func locating(_ error: ScriptError) -> ScriptError {
    var error = error
    if error.feature == nil { error.feature = feature }
    if error.script == nil, case .script(let handler) = body {
      (error.script, error.line) = (handler.script, handler.line)
    }
    return error
  }
}

/// A part of the state that a view in Swift reads. Each read is recorded, so that the view runs again only when
/// something that it has read has changed.
///
/// It is valid while the view runs; afterwards every read is null.
public struct ViewState {
  private let recorded: RecordedValue

  init(_ recorded: RecordedValue) { self.recorded = recorded }

  /// The value under a key of an object; null if there is none.
  public subscript(key: String) -> ViewState { ViewState(recorded.value(under: key)) }

  /// The element of a list at an index from 0; null if there is none.
  public subscript(index: Int) -> ViewState { ViewState(recorded.value(at: index)) }

  /// The number of elements of a list; 0 for other values.
  public var count: Int { recorded.count }

  /// The whole value. If it is a container, any change in it counts.
  public var value: Value { recorded.whole }

  public var string: String? { value.string }
  public var int: Int? { value.int }
  public var double: Double? { value.double }
  public var bool: Bool? { value.bool }
  public var isNull: Bool { recorded.isContainer ? false : value.isNull }
}
