/// A local variable or a parameter.
final class LuaVariable {
  let name: String
  /// The expression that initializes the variable in its declaration.
  var initial: LuaExpression?
  /// The list or table whose elements the variable has, of `for _, x in ipairs(list)`.
  var elementOf: LuaExpression?
  /// True if a later statement assigns a value to the variable.
  var isAssigned = false
  /// True if an expression or an assignment names the variable.
  var isUsed = false

  init(_ name: String) { self.name = name }

  private enum Resolution {
    case unknown
    case known(LuaExpression?)
  }

  private var resolution = Resolution.unknown

  /// The value that the variable always has, found through all locals in between; nil if it is
  /// unknown. Valid only after the whole script is parsed, because a later assignment makes it
  /// unknown.
  ///
  /// A chain of locals may be as long as the text. The result is cached for each variable of the
  /// chain, so a chain is walked once.
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

  func releaseParts() {
    initial = nil
    elementOf = nil
    resolution = .unknown
  }
}
