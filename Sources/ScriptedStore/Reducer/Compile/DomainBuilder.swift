import LuaBridge

/// Collects the types, children and properties of one domain while its reducers are compiled.
/// ``Domain`` explains the properties that have the same name there.
struct DomainBuilder: ~Copyable {
  let types = NameTable()
  var acceptsAllTypes: Bool {
    get { bare.includesAll }
    set { bare.includesAll = newValue }
  }
  var nestedTypes: [KnownTypes] = []
  var children: [Int: DomainReference] = [:]
  /// The name and the origin of the first feature.
  var name: String?
  var origin: String?
  let bare = BareTypes()
  let defaults = DefaultStates()
  /// Whether some reducer writes bindings.
  var handlesBindings = false
  /// The origin of an `optional` around the domain.
  var optional: String?
  var isTagged = false
  /// The key of the ids, for a domain of elements.
  var idKey: String?
  var ephemeral = Ephemeral.none
  /// The patterns of the domain's features; checked when the domain is complete.
  var patterns: [KnownPattern] = []
  /// The operators' origins by the number of their actions' type.
  private var operators: [Int: String] = [:]

  /// Returns the number of a type. `path` is a path of nested types below it that is handled; an
  /// empty one makes all of them known.
  mutating func type(_ name: String, nested path: ArraySlice<String> = []) -> Int {
    let number = types.add(name)
    if number == nestedTypes.count { nestedTypes.append(KnownTypes(isWhole: false)) }
    nestedTypes[number].add(path)
    return number
  }

  /// Adds a child, and returns the number of its actions' type. Throws if another operator of the
  /// domain has that type.
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

  /// The number of `binding` if the domain accepts that type, no reducer writes bindings, and no
  /// child has that type; else -1.
  mutating func unhandledBinding() -> Int {
    guard !handlesBindings, acceptsAllTypes || types.number(of: "binding") >= 0 else { return -1 }
    return hasChild("binding") ? -1 : type("binding")
  }

  /// Whether an operator that is already compiled has this action type.
  func hasChild(_ name: String) -> Bool {
    let number = types.number(of: name)
    return number >= 0 && children[number] != nil
  }
}
