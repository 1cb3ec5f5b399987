import LuaBridge
import Platform

/// The modules of one VM: the scripts under the script root, the `scripted` module with the rest of
/// the prelude, and the host's Swift reducers.
final class ScriptModules {
  let vm: LuaVM
  /// See ``ScriptedPrelude/nativeDependencies()``.
  let nativeDependencies: [String: LuaValue]
  let prelude: ScriptedPrelude
  /// See ``addProvider(_:)``.
  private var providers: [LuaModules.Provider] = []
  /// The names of the Swift reducers that scripts can `require`. ``ReducerCompiler`` has them in this order.
  private let hostReducers: [String]
  let root: ScriptRoot
  /// The scripts under ``root``.
  private(set) lazy var files = makeFiles()
  /// The copies of `scripted` by the number of the module that required it. They are stored here
  /// and not in a closure that Lua retains: a Lua value in such a closure would retain the VM,
  /// which is a retain cycle.
  private var scriptedCopies: [Int: LuaValue] = [:]
  private var hostReducerValues: [String: LuaValue] = [:]

  /// - Parameter natives: the functions behind `scripted`, but for those of ``ScriptedNatives``, which are added here.
  init(
    natives: LuaTable, root: ScriptRoot, hostReducers: [String], offersScripted: Bool
  ) throws(ScriptError) {
    vm = natives.vm
    self.root = root
    self.hostReducers = hostReducers
    try ScriptedNatives.add(to: natives)
    prelude = try ScriptedPrelude(natives, offersModule: offersScripted)
    nativeDependencies = try prelude.nativeDependencies()
  }

  private func makeFiles() -> LuaModules {
    let files = LuaModules(vm: vm, root: root) {
      [unowned self] (name, module) throws(ScriptError) in
      try self.module(name, for: module)
    }
    files.provided = ["scripted", "scripted.test", "scripted.ui"] + hostReducers
    return files
  }

  /// The value that a module returns. The module is loaded on first use.
  func require(_ name: String) throws(ScriptError) -> LuaValue {
    if let reducer = try hostReducer(name) { return reducer }
    return try files.require(name)
  }

  /// Compiles a script without running it, and lets it declare globals. Also returns the script's
  /// name in messages.
  func openChunk(file: String) throws(ScriptError) -> (name: String, chunk: LuaFunction) {
    let script = try root.file(file)
    return (script.name, try files.openChunk(script))
  }

  /// The source text of a script, by its name in messages: the text that was compiled, else the
  /// text of the file as it is now; nil if there is no such script. Only files under the script
  /// root are read, because the name may come from a recording that the host does not trust.
  func text(ofScript name: String) -> [UInt8]? {
    if let known = files.scripts[name] { return known.text }
    guard let script = try? root.file("\(root.path)/\(name)"), script.name == name else {
      return nil
    }
    return try? script.read()
  }

  /// A module that is not a file: `scripted`, a reducer of the host, or a module from a
  /// provider; nil for other names. `module` is the number of the module that requires it.
  private func module(_ name: String, for module: Int) throws(ScriptError) -> LuaValue? {
    switch name {
    case "scripted": return try scripted(for: module)
    case "scripted.ui": return try prelude.viewModule()
    case "scripted.test":
      guard let testing = try provided(name, for: module) else {
        throw ScriptError("scripted.test is there for tests only, which `runner test` runs")
      }
      return testing
    default:
      if let reducer = try hostReducer(name) { return reducer }
      return try provided(name, for: module)
    }
  }

  /// Adds a function that provides modules that are neither files nor built in, as those of tests. It
  /// returns the module's value, or nil if it does not have the module. The first that has it counts.
  func addProvider(_ provider: @escaping LuaModules.Provider) { providers.append(provider) }

  /// A module from one of the providers; nil if none has it.
  func provided(_ name: String, for module: Int) throws(ScriptError) -> LuaValue? {
    for provider in providers {
      if let value = try provider(name, module) { return value }
    }
    return nil
  }

  /// The module's own copy of `scripted`, so that a module cannot change the copy of another one.
  func scripted(for module: Int) throws(ScriptError) -> LuaValue {
    if let own = scriptedCopies[module] { return own }
    let own = try prelude.makeModule()
    scriptedCopies[module] = own
    return own
  }

  private func hostReducer(_ name: String) throws(ScriptError) -> LuaValue? {
    guard let index = hostReducers.firstIndex(of: name) else { return nil }
    if let known = hostReducerValues[name] { return known }
    let reducer = try prelude.hostReducer(name, index: index)
    hostReducerValues[name] = reducer
    return reducer
  }
}

extension ScriptRoot {
  /// The module name of a script's path, or the argument itself if it is not the path of a module. Recordings and journals
  /// store the module name, because another machine can find the module but not the path.
  func moduleName(of feature: String) -> String {
    guard feature.hasSuffix(".lua"), let script = try? file(feature) else { return feature }
    let name = script.name.dropLast(4).split(separator: "/").joined(separator: ".")
    guard let module = try? module(name), module.path == script.path else { return feature }
    return name
  }
}

extension ScriptModules {
  /// The error for a script that the host opens as a reducer, but that returns something else. It
  /// names the line of the script's `return`, if that is found.
  ///
  /// - Parameters:
  ///   - name: the module, or the path of the script.
  ///   - returned: the value that the script returned.
  ///   - isOfFunction: whether the script returned a function, which has returned the value.
  func notAReducer(
    _ name: String, _ returned: LuaValue, isOfFunction: Bool = false
  ) -> ScriptError {
    let script =
      name.hasSuffix(".lua") ? try? root.file(name) : (try? root.module(name)) ?? nil
    let line = script.flatMap { files.scripts[$0.name] }.flatMap { Self.lineOfReturn(in: $0.text) }
    let value =
      switch returned {
      case _ where isOfFunction:
        "this is a function that returns \(returned.typeNameWithArticle)"
      // A module that returns nothing has the value `true`.
      case .boolean(true) where line == nil: "it returns nothing"
      default: "this is \(returned.typeNameWithArticle)"
      }
    return ScriptError(
      "\(name) returns no feature: its last line must be `return scripted.feature { … }` or "
        + "another reducer, \(value)",
      script: script?.name, line: line)
  }

  /// The last line that begins with `return`, from 1; nil if there is none. A `return` with blanks
  /// in front is passed over, because it most likely belongs to a function.
  private static func lineOfReturn(in text: [UInt8]) -> Int? {
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return lines.lastIndex { line in
      line.starts(with: "return".utf8) && !(line.dropFirst(6).first.map(isNamePart) ?? false)
    }.map { $0 + 1 }
  }

  private static func isNamePart(_ byte: UInt8) -> Bool {
    byte.isASCIILetterOrDigit || byte == UInt8(ascii: "_")
  }
}
