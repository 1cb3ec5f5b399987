import ScriptValue
import ScriptedStore

/// The fields of one feature's state: those that annotations type, and those of which only a default
/// is known.
struct StateFields {
  private(set) var annotated: [(name: String, type: LuaType, source: SourceLine)] = []
  /// The default is nil for a shared field whose key declares none.
  private(set) var inferred: [(key: String, value: Value?, source: SourceLine?)] = []
  /// The name of the class that is annotated at the state.
  private(set) var className: String?

  init(of feature: ReducerTree, _ resolver: TypeResolver) throws(TypesError) {
    let source = SourceLine(feature.origin)
    let script = try source.flatMap { source throws(TypesError) in
      try resolver.scripts.script(source.script)
    }
    let state = script.flatMap { script in source.flatMap { script.state(from: $0.line) } }
    if let script, let state {
      try addClass(of: script, at: state.line, resolver)
      for (name, place) in state.fields.sorted(by: { $0.value < $1.value })
      where !annotated.contains(where: { $0.name == name }) {
        guard let (type, at) = try script.type(at: place.line), at != state.line else { continue }
        annotated.append((name, type, SourceLine(script: script.script, line: at)))
      }
    }
    let typed = Set(annotated.map(\.name))
    // In the order in which the script writes them; tables of Lua have none.
    let order = { (key: String) in state?.fields[key]?.index ?? Int.max }
    let defaults = (feature.defaults?.object ?? [:]).filter { !typed.contains($0.key) }
    for (key, value) in defaults.sorted(by: { (order($0.key), $0.key) < (order($1.key), $1.key) }) {
      let line = state.flatMap { $0.fields[key]?.line ?? $0.line } ?? source?.line ?? 0
      inferred.append((key, value, source.map { SourceLine(script: $0.script, line: line) }))
    }
    for field in feature.shared where !typed.contains(field.field) {
      inferred.append((field.field, field.defaultValue, SourceLine(field.origin)))
    }
  }

  /// The fields of the class, or of the `{ … }`, that is annotated at the field `state`.
  private mutating func addClass(
    of script: ScriptAnnotations, at line: Int, _ resolver: TypeResolver
  ) throws(TypesError) {
    guard let (type, line) = try script.type(at: line) else { return }
    let source = SourceLine(script: script.script, line: line)
    guard let fields = try resolver.fields(of: type, at: source) else {
      throw TypesError(
        "the type of a state is a class or { name: type, … }; declare one with ---@class",
        at: source)
    }
    annotated += fields.map { ($0.field.name, $0.field.type, $0.source) }
    if case .name(let name) = type { className = name }
  }
}
