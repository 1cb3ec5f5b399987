import LuaBridge

extension Reducer {
  /// Prints each action that `self` gets and how it changed the state, through
  /// ``HostConfiguration/onPrint``. As TCA's `_printChanges`.
  ///
  /// ```
  /// received action:
  ///   todos[3].toggle
  ///   {
  ///     todos = {
  ///       [1] = {
  ///         id = 3,
  /// -       isComplete = false,
  /// +       isComplete = true,
  /// ```
  ///
  /// The text is made outside of the VM's lock. Its cost grows with what changed.
  public func printChanges(
    _ prefix: String? = nil, file: StaticString = #fileID, line: UInt = #line
  ) -> Reducer {
    printing(prefix, showsChanges: true, origin: "printChanges at \(file):\(line)")
  }

  /// Prints each action that `self` gets. As `debugActions` of TCA before 1.0.
  public func printActions(
    _ prefix: String? = nil, file: StaticString = #fileID, line: UInt = #line
  ) -> Reducer {
    printing(prefix, showsChanges: false, origin: "printActions at \(file):\(line)")
  }

  private func printing(_ prefix: String?, showsChanges: Bool, origin: String) -> Reducer {
    Reducer(origin: origin) { (compiler, builder) throws(ScriptError) in
      PrintingNode(
        base: try compiler.compile(.swift(self), &builder), prefix: prefix,
        showsChanges: showsChanges, origin: origin)
    }
  }
}

extension ReducerCompiler {
  func printing(
    _ description: LuaTable, showsChanges: Bool, _ origin: String, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    PrintingNode(
      base: try compile(try description.base(origin), &builder),
      prefix: try description.string("prefix"), showsChanges: showsChanges, origin: origin)
  }
}

/// Prints each action that a reducer gets and, if asked for, what it changed. As TCA's
/// `_printChanges`.
final class PrintingNode: WrapperNode {
  private let prefix: String?
  private let showsChanges: Bool

  init(base: ReducerNode, prefix: String?, showsChanges: Bool, origin: String) {
    self.prefix = prefix
    self.showsChanges = showsChanges
    super.init(base, origin: origin)
  }

  override func reduce(
    _ context: ReduceContext, _ draft: Int32, _ action: borrowing ActionCursor
  ) throws(ScriptError) -> ReturnedEffects {
    guard let print = context.print else { return try base.reduce(context, draft, action) }
    let received = Action(trusted: Value(borrowing: action.slot))
    guard showsChanges else {
      print { [prefix] in PrintingNode.text(prefix, received) }
      return try base.reduce(context, draft, action)
    }
    let old = Value(borrowing: try context.currentValue(of: draft))
    do throws(ScriptError) {
      let effect = try base.reduce(context, draft, action)
      let new = Value(borrowing: try context.currentValue(of: draft))
      print { [prefix] in
        PrintingNode.text(prefix, received) + "\n"
          + (LuaDiff().text(from: old, to: new) ?? "  (no change)")
      }
      return effect
    } catch {
      print { [prefix] in PrintingNode.text(prefix, received) + "\n  (raised: \(error))" }
      throw error
    }
  }

  /// The most characters of an action that are printed: a payload may be a table of thousands of
  /// rows.
  private static let textLimit = 1000

  private static func text(_ prefix: String?, _ action: Action) -> String {
    let action = action.description
    let shown = action.count > textLimit ? action.prefix(textLimit) + "…" : action[...]
    return (prefix.map { "\($0): " } ?? "") + "received action:\n  \(shown)"
  }
}
