import ScriptValue

/// The action types that the reducers of a domain handle without a nested action. An operator's
/// action that has no action for the child is a mistake, unless its type is one of these.
final class BareTypes {
  private var numbers: Set<Int> = []
  /// Whether some reducer handles every type, as `reduce` does.
  var includesAll = false

  func add(_ number: Int) { numbers.insert(number) }

  /// Warns of an operator's action whose field `action` is no table. `nested` is that field,
  /// borrowed (+0). An absent field is no mistake for a type in this set.
  @inline(never)
  func warn(
    _ context: ReduceContext, _ nested: Slot, _ type: Int, like example: String, _ origin: String
  ) {
    if nested.isAbsent && (includesAll || numbers.contains(type)) { return }
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
