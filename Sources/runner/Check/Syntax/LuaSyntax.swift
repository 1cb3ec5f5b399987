/// An expression of a script. Names are resolved: what is left of statements is who declares and assigns what.
final class LuaExpression {
  enum Kind {
    case string(String)
    case varargs
    case function(LuaFunctionBody)
    case local(LuaVariable)
    case global(String)
    case index(LuaExpression, key: LuaExpression)
    case call(LuaExpression, [LuaExpression])
    /// `receiver:name(…)`
    case method(LuaExpression, String, [LuaExpression])
    case table([(key: LuaExpression?, value: LuaExpression)])
    /// An operator with its operands, or a constant without.
    case other([LuaExpression])
  }

  private(set) var kind: Kind
  let position: SourcePosition
  /// Where the arguments of a call begin, or the key of an index is: Lua says one or the other of a line that calls.
  let detail: SourcePosition
  /// The function that it is in.
  let function: LuaFunctionBody
  /// What an assignment assigns to.
  var isAssigned = false

  init(
    _ kind: Kind, _ position: SourcePosition, detail: SourcePosition? = nil,
    in function: LuaFunctionBody
  ) {
    self.kind = kind
    self.position = position
    self.detail = detail ?? position
    self.function = function
  }

  var string: String? {
    if case .string(let text) = kind { text } else { nil }
  }

  /// The value of a table's field.
  func field(_ name: String) -> LuaExpression? {
    guard case .table(let fields) = kind else { return nil }
    return fields.last { $0.key?.string == name }?.value
  }

  /// Itself, and the expressions that it is made of; not those in the bodies of functions. They may be as deep as the
  /// text is long.
  func visit(_ body: (LuaExpression) -> Void) {
    var rest = [self]
    while let expression = rest.popLast() {
      body(expression)
      rest += expression.parts.reversed()
    }
  }

  private var parts: [LuaExpression] {
    switch kind {
    case .string, .varargs, .function, .local, .global: []
    case .index(let base, let key): [base, key]
    case .call(let callee, let arguments): [callee] + arguments
    case .method(let receiver, _, let arguments): [receiver] + arguments
    case .table(let fields): fields.flatMap { [$0.key, $0.value].compactMap(\.self) }
    case .other(let operands): operands
    }
  }

  /// What it stands for: itself, or what the local that it names stands for. A local is left where nothing is known of
  /// it, as of a parameter.
  var resolved: LuaExpression {
    guard case .local(let variable) = kind else { return self }
    return variable.resolved ?? self
  }

  /// Forgets what it is made of.
  fileprivate func takeApart() { kind = .other([]) }
}

/// A local variable, a parameter included.
final class LuaVariable {
  let name: String
  /// What it is declared with.
  var initial: LuaExpression?
  /// Whether something is assigned to it later.
  var isAssigned = false

  init(_ name: String) { self.name = name }

  private enum Resolution {
    case unknown
    case known(LuaExpression?)
  }

  private var resolution = Resolution.unknown

  /// What it always stands for, behind all locals in between, if that is known. Not before the whole script is read.
  /// A chain of locals may be as long as the text, and is followed once.
  var resolved: LuaExpression? {
    if case .known(let known) = resolution { return known }
    var chain = [self]
    var end: LuaExpression?
    while let variable = chain.last {
      guard !variable.isAssigned, let initial = variable.initial else { break }
      end = initial
      guard case .local(let next) = initial.kind else { break }
      if case .known(let known) = next.resolution {
        end = known ?? initial
        break
      }
      chain.append(next)
    }
    for (index, variable) in chain.enumerated() {
      let isLast = index == chain.count - 1
      let isKnown = !variable.isAssigned && variable.initial != nil
      variable.resolution = .known(isLast && !isKnown ? nil : end)
    }
    if case .known(let known) = resolution { return known }
    return nil
  }

  fileprivate func takeApart() {
    initial = nil
    resolution = .unknown
  }
}

/// Keeps what a script is made of. Each part may hold the next, as deep as the text is long: they are taken apart before
/// they go, one by one.
final class LuaSyntaxTree {
  private var expressions: [LuaExpression] = []
  private var variables: [LuaVariable] = []

  func add(_ expression: LuaExpression) { expressions.append(expression) }
  func add(_ variable: LuaVariable) { variables.append(variable) }

  deinit {
    for variable in variables { variable.takeApart() }
    for expression in expressions { expression.takeApart() }
  }
}

/// A function in a script, or the script itself.
final class LuaFunctionBody {
  let parent: LuaFunctionBody?
  var parameters: [LuaVariable] = []

  init(in parent: LuaFunctionBody?) { self.parent = parent }

  /// Itself and those that it is in, from the inside out.
  var enclosing: UnfoldFirstSequence<LuaFunctionBody> { sequence(first: self) { $0.parent } }
}

/// What a script says, in the order of its text.
struct LuaChunk {
  /// What everything else here is made of.
  let tree = LuaSyntaxTree()
  let body = LuaFunctionBody(in: nil)
  /// Names that no declaration is there for, with the names of locals that are.
  var globals: [(expression: LuaExpression, locals: [String])] = []
  /// The names of all locals.
  var locals: Set<String> = []
  var calls: [LuaExpression] = []
  var indexes: [LuaExpression] = []
  /// Texts, but for the keys of tables.
  var strings: [String] = []
  /// The script looks at `...`, which is what it gets as a stub.
  var usesArguments = false
}
