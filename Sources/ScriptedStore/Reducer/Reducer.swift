import LuaBridge

/// What a store runs: scripts and Swift closures, joined by operators. This is a description that
/// each VM compiles for itself.
///
/// ```swift
/// let app = Reducer.reduce { state, action in … }
///   .forEach("todos", .script("todo"))
/// ```
public struct Reducer: Sendable {
  enum Kind: Sendable {
    /// A reducer of a script, by its module.
    case script(String)
    case lazy(@Sendable () -> Reducer)
    /// An operator or a body in Swift, which knows how it is compiled.
    case compiled(by: Compile)
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

  /// The reducer that a script module returns. The module is found as by `require` (`"a.b"`).
  public static func script(_ module: String) -> Reducer {
    Reducer(.script(module), origin: module)
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

  /// The keys in a dotted path.
  static func path(_ key: String) -> [String] {
    key.splitAtDots(keepsEmpty: true)
  }
}
