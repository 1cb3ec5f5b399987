import LuaBridge

/// What a store runs: scripts and Swift closures, joined by operators. This is a description that
/// each VM compiles for itself.
///
/// ```swift
/// let app = Reducer.reduce { state, action in … }
///   .forEach("todos", .script("todo"))
/// ```
public struct Reducer: Sendable {
  /// The body of a reducer in Swift. It may change the state, an array or object, and returns an
  /// effect. An error that it throws rolls the action back.
  public typealias Body = @Sendable (_ state: inout Value, _ action: Action) throws -> Effect

  indirect enum Kind: Sendable {
    case empty
    case script(String)
    case reduce(Body)
    case combine([Reducer])
    case scope(base: Reducer, path: [String], action: String, child: Reducer)
    case forEach(
      base: Reducer, path: [String], action: String, idKey: String, element: Reducer)
    case ifLet(base: Reducer, path: [String], action: String, child: Reducer)
    case ifCaseLet(base: Reducer, name: String, child: Reducer)
    case cases([(String, Reducer)])
    case stack(base: Reducer, path: [String], action: String, element: Reducer)
    case ignored
    case ephemeral
    case lazy(@Sendable () -> Reducer)
    case dependency(base: Reducer, name: String, DependencyChange)
    case binding
    case onChange(base: Reducer, Watched, ChangeBody)
    case optional(base: Reducer)
    case printing(base: Reducer, prefix: String?, changes: Bool)
    case signpost(base: Reducer, prefix: String?)
  }

  let kind: Kind
  /// The operator and its source line, for warnings: `forEach at App.swift:12`.
  let origin: String
  /// Identifies this reducer among all reducers of the process.
  let number = SerialNumber.next()

  init(_ kind: Kind, origin: String) {
    self.kind = kind
    self.origin = origin
  }

  /// A reducer that does nothing.
  public static let empty = Reducer(.empty, origin: "empty")

  /// The reducer that a script module returns. The module is found as by `require` (`"a.b"`).
  public static func script(_ module: String) -> Reducer {
    Reducer(.script(module), origin: module)
  }

  /// A reducer whose body is a Swift closure. It handles every action type of its domain, so that
  /// none is unknown there.
  public static func reduce(
    file: StaticString = #fileID, line: UInt = #line, _ body: @escaping Body
  ) -> Reducer {
    Reducer(.reduce(body), origin: "reduce at \(file):\(line)")
  }

  /// The reducer that `make` returns. `make` is called when the reducer is first needed; as a child
  /// this lets a reducer contain itself.
  ///
  /// ```swift
  /// func folder() -> Reducer {
  ///   Reducer.script("folder").forEach("folders", .lazy { folder() })
  /// }
  /// ```
  public static func lazy(
    file: StaticString = #fileID, line: UInt = #line, _ make: @escaping @Sendable () -> Reducer
  ) -> Reducer {
    Reducer(.lazy(make), origin: "lazy at \(file):\(line)")
  }

  /// Runs reducers of one state and one set of actions in order, and merges their effects. As TCA's
  /// `CombineReducers`.
  public static func combine(
    _ reducers: Reducer..., file: StaticString = #fileID, line: UInt = #line
  ) -> Reducer {
    Reducer(.combine(reducers), origin: "combine at \(file):\(line)")
  }

  /// Runs `child` on the object at `key` for actions `{ type = action, action = … }`, then `self`.
  /// As TCA's `Scope`.
  ///
  /// - Parameters:
  ///   - key: the dotted path of the object.
  ///   - action: the type of the child's actions; by default the last segment of `key`.
  public func scope(
    _ key: String, action: String? = nil, _ child: Reducer,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Reducer {
    let path = Reducer.path(key)
    return Reducer(
      .scope(base: self, path: path, action: action ?? path[path.count - 1], child: child),
      origin: "scope at \(file):\(line)")
  }

  /// Runs `element` on one element, for actions `{ type = action, id = …, action = … }`, then
  /// `self`. At `key` there is an array, whose element has the action's id, or an object, which has
  /// the id as a key. As TCA's `forEach`. O(log n) in the length of the array.
  ///
  /// - Parameters:
  ///   - key: the dotted path of the array or object.
  ///   - action: the type of the elements' actions; by default the last segment of `key`.
  ///   - id: the field that identifies an element of an array.
  public func forEach(
    _ key: String, action: String? = nil, id: String = "id", _ element: Reducer,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Reducer {
    let path = Reducer.path(key)
    return Reducer(
      .forEach(
        base: self, path: path, action: action ?? path[path.count - 1], idKey: id,
        element: element),
      origin: "forEach at \(file):\(line)")
  }

  static func path(_ key: String) -> [String] {
    key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
  }
}
