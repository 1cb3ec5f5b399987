import LuaBridge

/// A compiled reducer: the nodes that share one state and one set of action types. `combine` and
/// operators add nodes to a domain. A child of `scope` or `forEach` is a domain of its own.
final class Domain {
  let root: ReducerNode
  let vocabulary: ActionVocabulary
  /// Tells which keys of the state bindings may write.
  let defaults: DefaultStates
  /// Whether its state is tagged: an object with its case as the only key.
  let isTagged: Bool
  /// The key of the id that may stand beside the case in a tagged state; set for elements only.
  let idBytes: [UInt8]?
  /// The cases that are ephemeral, or that the whole domain is.
  private let ephemeral: Ephemeral
  /// The origin of an operator around this domain that never dismisses ephemeral children; else
  /// nil.
  private var undismissingOperator: String?
  /// The name of the first feature, which messages use for the domain.
  let name: String
  private let origin: String
  /// The origin of an `optional` around this domain, which warnings about an absent child name.
  let optionalOrigin: String?

  /// The source line of the reducer. A recursive feature is compiled again at each level, so that the
  /// domain itself does not tell that it is the same.
  var identity: String { root.firstFeature?.origin ?? root.origin }

  /// The domain as views see it.
  private(set) lazy var viewSite = ViewSite(self)

  private(set) lazy var givenState = GivenState(root)

  init(_ builder: consuming DomainBuilder, root: ReducerNode) {
    self.root = root
    vocabulary = builder.vocabulary
    builder.vocabulary.complete(isValue: root.isValue)
    optionalOrigin = builder.optionalOrigin
    defaults = builder.defaults
    isTagged = builder.isTagged
    idBytes = builder.idBytes
    ephemeral = builder.ephemeral
    name = builder.name ?? root.origin
    origin = builder.origin ?? root.origin
  }

  /// Reduces an action on the domain's state at `draft`. The action is borrowed (+0).
  @inline(__always)
  func reduce(
    _ context: ReduceContext, _ draft: Int32, _ action: Slot
  ) throws(ScriptError) -> ReturnedEffects {
    let type = context.keys.type.value(in: action)
    guard case .string = type.tag else { return notAnAction(context) }
    let number = vocabulary.number(of: type.stringBytes)
    if vocabulary.needsCheck(number) { check(action, number, context) }
    return try root.reduce(context, draft, ActionCursor(slot: action, type: number))
  }

  /// Whether the whole state is dismissed after each of its actions.
  var isEphemeral: Bool { ephemeral == .whole }

  /// The case that is dismissed after an action of this type; empty if the whole state is, nil if
  /// nothing is. `type` is borrowed (+0).
  func ephemeralCase(of type: Slot) -> String? {
    switch ephemeral {
    case .none: nil
    case .whole: ""
    case .cases(let cases):
      type.tag == .string ? cases.first { type.stringBytes.elementsEqual($0.utf8) } : nil
    }
  }

  /// Declares that the operator at `origin` does not dismiss ephemeral children. Actions of
  /// ephemeral cases warn from then on. Throws if the whole domain is ephemeral.
  func declareUndismissed(by origin: String) throws(ScriptError) {
    switch ephemeral {
    case .none: break
    case .whole:
      throw ScriptError(
        "\(origin): nothing lets go of `ephemeral` here; it stands in ifLet, or in cases that stand in ifLet"
      )
    case .cases(let cases):
      undismissingOperator = origin
      for name in cases { vocabulary.check(name) }
    }
  }

  private func warnOfEphemeral(
    _ name: String, _ undismissingOperator: String, _ context: ReduceContext
  ) {
    context.warn(
      .notPresented,
      """
      \(undismissingOperator): the action "\(context.actionPath ?? name)" is for the case '\(name)', which is ephemeral, but nothing \
      presents it here, so that it stays; put the cases into an ifLet, or give the case `ignored` and let go of it yourself
      """, origin: undismissingOperator)
  }

  @inline(never)
  private func notAnAction(_ context: ReduceContext) -> ReturnedEffects {
    context.warn(
      .malformedAction,
      "what \(name) got as its action is not a table with a type\(messageEnd(context))",
      origin: origin)
    return .none
  }

  @inline(never)
  private func check(_ action: Slot, _ number: Int, _ context: ReduceContext) {
    if number < 0 || number == vocabulary.unhandledBinding,
      warnOfBinding(action, context) || vocabulary.takesAll
    {
      return
    }
    if let undismissingOperator, let name = ephemeralCase(of: action.field("type")) {
      return warnOfEphemeral(name, undismissingOperator, context)
    }
    if let unknown = vocabulary.unknown(in: action, number) { warn(of: unknown, context) }
  }

  /// Warns of a binding's action that no reducer writes. Returns whether the action is a binding's.
  private func warnOfBinding(_ action: Slot, _ context: ReduceContext) -> Bool {
    let key = action.field("key")
    guard key.tag == .string, Value(borrowing: action.field("type")) == "binding",
      !action.field("action").isContainer
    else { return false }
    context.warn(
      .unhandledBinding,
      """
      nothing in \(name) writes what a binding says, so \"\(Value(borrowing: key).string ?? "")\" stays as it is; give the \
      feature `binding = true`, or combine it with scripted.binding()\(messageEnd(context))
      """, origin: origin)
    return true
  }

  private func warn(of unknown: ActionVocabulary.Unknown, _ context: ReduceContext) {
    var message = "\(name) has no handler for the action \"\(unknown.name)\""
    if let nearest = unknown.nearest {
      message += "; did you mean \"\(nearest)\"?"
    } else if isTagged && name == origin {
      message += "; the cases are \(unknown.known.sorted().joined(separator: ", "))"
    } else {
      message += "; if it is meant for a parent, list it in `actions`"
    }
    context.warn(.unknownAction, message + messageEnd(context), origin: origin)
  }

  /// The end of a message: where the domain was declared, and the whole action.
  private func messageEnd(_ context: ReduceContext) -> String {
    let action = context.actionPath.map { "the action \"\($0)\"" } ?? "no action"
    return name == origin ? " (\(action))" : " (\(origin), \(action))"
  }
}

/// Collects what makes up one domain while its reducers are compiled. ``Domain`` explains the properties
/// that have the same name there.
struct DomainBuilder: ~Copyable {
  let vocabulary = ActionVocabulary()
  /// The name and the origin of the first feature.
  var name: String?
  var origin: String?
  let defaults = DefaultStates()
  /// The origin of an `optional` around the domain.
  var optionalOrigin: String?
  var isTagged = false
  /// The key of the ids, for a domain of elements.
  var idBytes: [UInt8]?
  var ephemeral = Ephemeral.none
  /// The patterns of the domain's features; checked when the domain is complete.
  var patterns: [KnownPattern] = []
}
