import LuaBridge

/// What the test files of a plain Lua library get: stock globals and modules, as busted gives them,
/// instead of the sandbox.
///
/// Such a file can do all that the process can do: read and write files, and run programs. Use it
/// only for scripts that you trust.
public struct PlainLua: Sendable {
  /// The templates that come before Lua's own in `package.path`.
  public var path: String
  /// The templates that come before Lua's own in `package.cpath`.
  public var cpath: String
  /// A Lua file or a module that runs before the tests of each file.
  public var helper: String?
  /// What the helper finds in the global `arg`.
  public var helperArguments: [String]
  /// Makes `setup` and `teardown` the same as `lazy_setup` and `lazy_teardown`.
  public var setsUpLazily: Bool
  /// The program for Lua scripts that tests find in `arg[-1]`, to start others with.
  public var interpreter: String
  /// Whether tests are only listed: all blocks are collected when the file is loaded, without any
  /// `setup`.
  public var isOnlyListed: Bool

  /// The parameters are the properties. `path` and `cpath` replace the templates that busted has for a library in the
  /// current folder.
  public init(
    path: String = PlainLua.path(in: "."), cpath: String = PlainLua.cpath(in: "."),
    helper: String? = nil, helperArguments: [String] = [], setsUpLazily: Bool = false,
    interpreter: String = "lua", isOnlyListed: Bool = false
  ) {
    self.path = path
    self.cpath = cpath
    self.helper = helper
    self.helperArguments = helperArguments
    self.setsUpLazily = setsUpLazily
    self.interpreter = interpreter
    self.isOnlyListed = isOnlyListed
  }

  /// The templates that busted has by default, for a library in `folder`.
  public static func path(in folder: String) -> String {
    ["src/?.lua", "src/?/?.lua", "src/?/init.lua"].map { "\(folder)/\($0)" }.joined(separator: ";")
  }

  public static func cpath(in folder: String) -> String {
    ["csrc/?.so", "csrc/?/?.so"].map { "\(folder)/\($0)" }.joined(separator: ";")
  }
}

/// Test files of plain Lua libraries, whose VM has stock globals.
extension TestContext {
  /// Gives the VM stock globals.
  func openPlain(_ natives: LuaTable) throws(ScriptError) {
    try vm.openPlain(natives)
    // scriptLoaded(path, chunk): `require` has loaded a file. Weak, because a finalizer of a script
    // may call `require` while the VM is being closed.
    try natives.define("scriptLoaded", as: "scriptLoaded") { [weak self] arguments in
      guard let self, let name = arguments.at(0).string else { return .values([]) }
      let script = try engine.modules.root.file(name)
      paths[name] = script.path
      if let coverage, case .function(let chunk) = arguments.at(1) {
        coverage.add(script, lines: try vm.executableLines(of: chunk))
      }
      return .values([])
    }
  }

  /// Sets the paths of modules, and offers the framework's modules.
  func setUp(_ plain: PlainLua) throws(ScriptError) {
    let root = engine.modules.root.path
    let options = try vm.makeTable()
    // Modules may also be beside the tests, which is where scripts have them.
    let own = root == "." ? "" : ";\(root)/?.lua;\(root)/?/init.lua"
    try options.set("path", to: .string(plain.path + own))
    try options.set("cpath", to: .string(plain.cpath))
    try options.set("folder", to: .string(root + "/"))
    try options.set("interpreter", to: .string(plain.interpreter))
    _ = try function("open").call([.table(options)])
  }

  /// Compiles a plain test file, and runs the helper before it.
  func load(plain path: String, _ plain: PlainLua) throws(ScriptError) {
    guard case .table(let environment) = try framework.get("environment") else {
      throw ScriptError("the test framework lacks 'environment'")
    }
    let script = try engine.modules.root.file(path)
    name = script.name
    let chunk = try vm.load(try script.read(), name: name, environment: environment)
    if let helper = plain.helper {
      let arguments = Value.array(Value.List(plain.helperArguments.map { .string($0) }))
      try watch.watching(vm) { () throws(ScriptError) in
        _ = try function("help").call([.string(helper), .value(arguments)])
      }
    }
    if plain.isOnlyListed {
      try collect(chunk)
    } else {
      _ = try function("prepare").call([.function(chunk)])
    }
  }

  /// Runs the tests of a plain file, in the order in which they are found.
  ///
  /// - Returns: Why the file did not load; nil if it did.
  /// - Throws: An error if the test framework itself cannot continue.
  func runLate(_ report: (Report) -> Reply) throws(ScriptError) -> ScriptTestFailure? {
    tests = []
    guard case .table(let failure) = try run("runLate", with: seed, report) else { return nil }
    return try self.failure(failure)
  }

  /// Records a test that was found.
  func found(_ arguments: [LuaValue]) -> ScriptTest {
    func list(_ value: LuaValue) -> [String] {
      guard let text = value.string, !text.isEmpty else { return [] }
      // Bytes, because splitting by characters would take longer than a small test.
      return text.utf8.split(separator: 0, omittingEmptySubsequences: false)
        .map { String(Substring($0)) }
    }
    let test = ScriptTest(
      file: name, line: arguments.at(2).int ?? 0, path: list(arguments.at(1)),
      tags: Set(list(arguments.at(3))), index: tests.count)
    tests.append(test)
    return test
  }

  /// The text of a script as it is now, by its name in messages.
  func plainText(of script: String) -> [UInt8]? {
    let root = engine.modules.root
    let paths = script.hasPrefix("/") ? [script] : ["\(root.path)/\(script)", script]
    return paths.lazy.compactMap { try? root.file($0).read() }.first
  }
}
