import LuaBridge

/// The types that reducers of a domain handle without a nested action: an operator's action that has none for
/// the child is a mistake, unless its type is one of them.
final class BareTypes {
  private var numbers: Set<Int> = []
  var takesAll = false

  func add(_ number: Int) { numbers.insert(number) }

  /// Warns of an operator's action without an action (+0) for the child that is a table.
  @inline(never)
  func warn(
    _ context: ReduceContext, _ nested: Slot, _ type: Int, like example: String, _ origin: String
  ) {
    if nested.isAbsent && (takesAll || numbers.contains(type)) { return }
    let reason =
      nested.isAbsent
      ? "has none for the child"
      : "has one for the child that is no table: \(Value(borrowing: nested))"
    context.warn(
      .malformedAction,
      """
      \(origin): the action \"\(context.actionPath ?? example)\" \(reason); send it as \"\(example)\", or \
      with a table { type = … } in its field `action`
      """, origin: origin)
  }
}
