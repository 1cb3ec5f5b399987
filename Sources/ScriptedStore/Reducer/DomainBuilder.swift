import LuaBridge

/// Collects what the reducers of one domain have in common while they are compiled.
struct DomainBuilder: ~Copyable {
  let types = NameTable()
  var knowsAll = false
  var known: [KnownTypes] = []
  var children: [Int: DomainReference] = [:]
  /// Of the first feature.
  var name: String?
  var origin: String?
  let bare = BareTypes()
  let defaults = DefaultStates()
  /// Some reducer writes what bindings say.
  var handlesBindings = false
  /// The `optional` that the child's state is absent for without a mistake in its operator.
  var optional: String?
  var isTagged = false
  /// Of elements.
  var idKey: String?
  var ephemeral = Ephemeral.none
  /// To be checked once the domain is complete.
  var patterns: [KnownPattern] = []
  /// Operators' origins by the number of their action's type.
  private var operators: [Int: String] = [:]

  /// The number of a type; `path` are the nested types under it that are known, all if empty.
  mutating func type(_ name: String, known path: ArraySlice<String> = []) -> Int {
    let number = types.add(name)
    if number == known.count { known.append(KnownTypes(isWhole: false)) }
    known[number].add(path)
    return number
  }

  /// The number of the type of an operator's actions, which no other operator of the domain may have.
  mutating func child(
    _ name: String, _ child: DomainReference, origin: String
  ) throws(ScriptError) -> Int {
    let number = type(name)
    if let other = operators[number] {
      throw ScriptError(
        "two operators have the action name \"\(name)\": \(other) and \(origin); "
          + "give one another name with { action = \"…\" }")
    }
    operators[number] = origin
    children[number] = child
    return number
  }

  /// The number of `binding` if it would be taken for known here although nothing writes what a binding says.
  mutating func unhandledBinding() -> Int {
    guard !handlesBindings, knowsAll || types.number(of: "binding") >= 0 else { return -1 }
    return hasChild("binding") ? -1 : type("binding")
  }

  /// Whether an operator that is compiled already has this action name.
  func hasChild(_ name: String) -> Bool {
    let number = types.number(of: name)
    return number >= 0 && children[number] != nil
  }
}
