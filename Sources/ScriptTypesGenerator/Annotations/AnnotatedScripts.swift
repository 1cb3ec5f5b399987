import LuaBridge
import ScriptValue

/// The annotations of all scripts that a feature consists of, and of those that they require.
final class AnnotatedScripts {
  private let root: ScriptRoot
  private var scripts: [String: ScriptAnnotations] = [:]
  private(set) var classes: [String: (ScriptAnnotations.Class, script: String)] = [:]
  private(set) var aliases: [String: (ScriptAnnotations.Alias, script: String)] = [:]

  /// The names of types that need no declaration.
  static let builtIn = ["string", "integer", "number", "boolean", "any", "table", "nil"]

  init(root: ScriptRoot) { self.root = root }

  /// The annotations of a script by its name in messages. Nil if there is no such file: the reducers
  /// of Swift have origins too.
  func script(_ name: String) throws(TypesError) -> ScriptAnnotations? {
    if let known = scripts[name] { return known }
    guard name.hasSuffix(".lua") else { return nil }
    guard let script = try? root.file(name.hasPrefix("/") ? name : root.folderPrefix + name),
      let source = try? script.read()
    else { return nil }
    let annotations = try ScriptAnnotations(source, script: name)
    scripts[name] = annotations
    for declared in annotations.classes where classes[declared.name] == nil {
      classes[declared.name] = (declared, name)
    }
    for alias in annotations.aliases where aliases[alias.name] == nil {
      aliases[alias.name] = (alias, name)
    }
    for module in annotations.requires {
      guard let required = (try? root.module(module)) ?? nil else { continue }
      _ = try self.script(required.name)
    }
    return annotations
  }

  /// The error for a name that no annotation declares.
  func unknown(_ name: String, at source: SourceLine) -> TypesError {
    let names = Array(classes.keys) + Array(aliases.keys) + Self.builtIn
    let hint =
      Suggestion.question(for: name, in: names.sorted())
      ?? "declare it with ---@class or ---@alias, or write any"
    return TypesError("there is no type '\(name)'; \(hint)", at: source)
  }
}
