/// Merging and concatenating.
extension EffectNode {
  enum Join {
    case merge
    case concatenate
  }

  static func joining(_ a: EffectNode?, _ b: EffectNode?, _ join: Join) -> EffectNode? {
    guard let a, !a.isNone else { return b?.isNone == true ? nil : b }
    guard let b, !b.isNone else { return a }
    return joined(a, b, join)
  }

  /// The two parts, if this node joins them in this way.
  private func halves(_ join: Join) -> (EffectNode, EffectNode)? {
    switch (operation, join) {
    case (.both(let first, let second), .merge), (.sequence(let first, let second), .concatenate):
      (first, second)
    default: nil
    }
  }

  /// Joins two trees as AVL trees: the lower one goes down the near side of the higher one. The
  /// height stays logarithmic, however many effects are joined one by one, so that walking takes
  /// little stack.
  private static func joined(_ a: EffectNode, _ b: EffectNode, _ join: Join) -> EffectNode {
    if Int(a.depth) > Int(b.depth) + 1, let (first, second) = a.halves(join) {
      return balanced(first, joined(second, b, join), join)
    }
    if Int(b.depth) > Int(a.depth) + 1, let (first, second) = b.halves(join) {
      return balanced(joined(a, first, join), second, join)
    }
    return pair(a, b, join)
  }

  /// Joins two trees whose heights differ by two at most.
  private static func balanced(_ a: EffectNode, _ b: EffectNode, _ join: Join) -> EffectNode {
    if Int(a.depth) > Int(b.depth) + 1, let (first, second) = a.halves(join) {
      if first.depth >= second.depth { return pair(first, pair(second, b, join), join) }
      guard let (inner, outer) = second.halves(join) else { return pair(a, b, join) }
      return pair(pair(first, inner, join), pair(outer, b, join), join)
    }
    if Int(b.depth) > Int(a.depth) + 1, let (first, second) = b.halves(join) {
      if second.depth >= first.depth { return pair(pair(a, first, join), second, join) }
      guard let (outer, inner) = first.halves(join) else { return pair(a, b, join) }
      return pair(pair(a, outer, join), pair(inner, second, join), join)
    }
    return pair(a, b, join)
  }

  private static func pair(_ a: EffectNode, _ b: EffectNode, _ join: Join) -> EffectNode {
    EffectNode(join == .merge ? .both(a, b) : .sequence(a, b))
  }
}
