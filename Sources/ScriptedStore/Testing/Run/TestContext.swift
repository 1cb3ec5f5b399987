import LuaBridge

/// The tests of one file, inside a worker: loads the test framework (in Lua) and the file, runs
/// tests, and reports what happens.
///
/// Its functions are called only by the thread that is inside the worker.
final class TestContext {
  // Proof: the engine owns this object (`engine.testSupport`), so it is alive whenever a function of this
  // object runs. `unowned(unsafe)`, because these functions also run while the engine is being
  // deallocated.
  unowned(unsafe) let engine: Engine
  let watch: TimeoutWatch
  private let snapshots: SnapshotFile
  let coverage: Coverage?
  /// What the file of a plain Lua library gets; nil for a file in the sandbox.
  let plain: PlainLua?
  /// What tests are shuffled by; nil for the order of the file.
  let seed: LuaValue
  /// The file's name in messages.
  var name = ""
  /// The absolute paths of the scripts that were required, by name.
  var paths: [String: String] = [:]
  var tests: [ScriptTest] = []
  /// The test that is running.
  private var current: ScriptTest?
  /// The table that `busted.lua` returns: `load`, `list`, `run`, `atTestStart` and others.
  private(set) var framework: LuaTable
  /// Gets the reports while tests run; nil in between.
  private var report: ((Report) -> Reply)?
  /// When the running test began.
  private var began: ContinuousClock.Instant = .now
  /// The number of unnamed snapshots that the running test has compared so far.
  private var snapshotCount = 0

  var vm: LuaVM { engine.context.vm }

  /// Loads the test framework. Its functions are globals of all scripts that are loaded from now
  /// on.
  init(
    _ engine: Engine, _ configuration: ScriptTestFile.Configuration, _ watch: TimeoutWatch,
    _ snapshots: SnapshotFile
  ) throws(ScriptError) {
    self.engine = engine
    self.watch = watch
    self.snapshots = snapshots
    coverage = configuration.coverage
    plain = configuration.plainLua
    seed = configuration.seed.map { .integer(Int64(bitPattern: $0)) } ?? .nil
    let (vm, natives) = (engine.context.vm, engine.modules.prelude.natives)
    if coverage != nil { vm.beginCountingLines() }
    // Replaced below. The functions that it needs use this object.
    framework = try vm.makeTable()
    try FrameworkNatives.add(to: natives)
    try natives.define("matchesSnapshot", as: "matches_snapshot") { [weak self] arguments in
      // Nil for a finalizer of a plain script, which may run while the VM is being closed.
      guard let self else { throw ScriptError("the tests are over") }
      return try matchesSnapshot(arguments.at(0), name: arguments.at(1))
    }
    if plain != nil { try openPlain(natives) }
    framework = try TestContext.loadFramework(engine.modules.prelude, plain)
    guard case .table(let globals) = try framework.get("globals"),
      case .table(let modules) = try framework.get("modules")
    else { throw ScriptError("the test framework lacks its globals or modules") }
    if let plain {
      try setUp(plain)
      return
    }
    let shared = try vm.globals
    for (name, value) in try globals.entries() { try shared.set(name, to: value) }
    // Modules that exist only in tests, such as `luassert`.
    engine.modules.addProvider { (name, _) throws(ScriptError) in
      let module = try modules.get(.string(name))
      return module.isNil ? .none : module
    }
  }

  private static func loadFramework(
    _ prelude: ScriptedPrelude, _ plain: PlainLua?
  ) throws(ScriptError) -> LuaTable {
    let options = try prelude.natives.vm.makeTable()
    try options.set("isPlain", to: .boolean(plain != nil))
    try options.set("collectsLate", to: .boolean(plain?.isOnlyListed == false))
    try options.set("setsUpLazily", to: .boolean(plain?.setsUpLazily ?? false))
    try prelude.natives.set("runOptions", to: .table(options))
    return try prelude.chunk(
      "busted", using: ["values", "framework"] + (plain == nil ? [] : ["plain"]))
  }

  func function(_ name: String) throws(ScriptError) -> LuaFunction {
    guard let function = try framework.function(.string(name)) else {
      throw ScriptError("the test framework lacks '\(name)'")
    }
    return function
  }

  // MARK: Loading

  /// Loads a test file and lists its tests.
  ///
  /// - Throws: An error if the file does not compile, or if it raises an error outside of its
  ///   blocks.
  func load(_ path: String) throws(ScriptError) {
    if let plain { return try load(plain: path, plain) }
    let chunk: LuaFunction
    (name, chunk) = try engine.modules.openChunk(file: path)
    engine.modules.files.didCompile = { [unowned self] (script, chunk) throws(ScriptError) in
      paths[script.name] = script.path
      guard let coverage else { return }
      coverage.add(script, lines: try vm.executableLines(of: chunk))
    }
    try collect(chunk)
  }

  /// Runs the chunk of a test file, and lists its tests.
  func collect(_ chunk: LuaFunction) throws(ScriptError) {
    try watch.watching(vm) { () throws(ScriptError) in
      let failed = try function("load").call([.function(chunk), .string(name)]).at(0)
      if case .table(let failure) = failed {
        throw ScriptError(try self.failure(failure))
      }
    }
    let list = Value(try function("list").call([seed], tablesAsValues: true).at(0))
    tests = (list?.array ?? []).enumerated().map { index, entry in
      ScriptTest(
        file: name, line: entry["line"].int ?? 0, path: entry["names"].strings,
        tags: Set(entry["tags"].strings), index: index)
    }
  }

  /// The absolute paths of the scripts that were required.
  var required: Set<String> { Set(paths.values) }

  /// Adds the line counts since the last call to the coverage.
  func addLineCounts() {
    guard let coverage else { return }
    for (script, counts) in vm.takeLineCounts() {
      if let path = paths[script] { coverage.add(counts, at: path) }
    }
  }

  // MARK: Running

  /// Runs the tests with these indices, in this order.
  ///
  /// - Throws: An error if the test framework itself cannot continue.
  func run(_ order: ArraySlice<Int>, _ report: (Report) -> Reply) throws(ScriptError) {
    let indices = Value.array(Value.List(order.map { .integer(Int64($0 + 1)) }))
    _ = try run("run", with: .value(indices), report)
  }

  /// Calls a function of the framework that runs tests, with the time limit of each. Returns its
  /// result.
  func run(
    _ name: String, with argument: LuaValue, _ report: (Report) -> Reply
  ) throws(ScriptError) -> LuaValue {
    let run = try function(name)
    let reporter = try vm.makeFunction("report") { [unowned self] in try handleReport($0) }
    return try withoutActuallyEscaping(report) { report throws(ScriptError) in
      self.report = report
      defer {
        self.report = nil
        current = nil
        _ = vm.takeOutput()
      }
      return try watch.watching(vm) { () throws(ScriptError) in
        try run.call([argument, .function(reporter)]).at(0)
      }
    }
  }

  // MARK: Snapshots

  private func matchesSnapshot(_ lua: LuaValue, name: LuaValue) throws -> HostResult {
    guard let current else { throw ScriptError("matches_snapshot works inside of a test") }
    let name = try snapshotName(name)
    guard let value = try lua.stateValue(named: "value") else {
      throw ScriptError("matches_snapshot takes a value of state, not \(lua.typeNameWithArticle)")
    }
    guard let message = try snapshots.compare(value, name, of: current, in: engine) else {
      return .values([true])
    }
    return .values([false, .string(message)])
  }

  private func snapshotName(_ name: LuaValue) throws(ScriptError) -> String {
    switch name {
    case .nil:
      snapshotCount += 1
      return String(snapshotCount)
    case .string(let name): return name
    default:
      throw ScriptError("the name of a snapshot must be a string, not \(name.typeNameWithArticle)")
    }
  }

  // MARK: Reports

  /// What the framework in Lua reports.
  enum Report {
    /// A test of a plain file was found. The reply says whether it runs.
    case found(ScriptTest)
    /// An event as the host gets it, with one attempt at each test.
    case event(ScriptTestEvent)
  }

  /// What the framework does after a report.
  enum Reply {
    case goOn
    case stop
    /// Runs the plain test that has ended once more.
    case again
  }

  /// Handles a report of the framework: "found", "start", "end" or "block" with their arguments, as
  /// `run` and `runLate` in `busted.lua` call it. Returns what these two expect.
  private func handleReport(_ arguments: [LuaValue]) throws -> HostResult {
    guard let report else { return .values([]) }
    if arguments.at(0).string == "found" {
      return .values([.boolean(report(.found(found(arguments))) == .goOn)])
    }
    watch.restart()
    let reply = report(.event(try event(arguments)))
    return .values([.boolean(reply == .stop), .boolean(reply == .again)])
  }

  private func event(_ arguments: [LuaValue]) throws(ScriptError) -> ScriptTestEvent {
    switch arguments.at(0).string {
    case "start":
      let test = tests[(arguments.at(1).int ?? 1) - 1]
      current = test
      snapshotCount = 0
      vm.collectOutput()
      began = .now
      return .began(test)
    case "end":
      let duration = ContinuousClock.now - began
      let test = tests[(arguments.at(1).int ?? 1) - 1]
      current = nil
      let outcome = try outcome(arguments.at(2).string, arguments.at(3))
      return .ended(
        ScriptTestResult(test, outcome, duration: duration, output: vm.takeOutput()))
    default:
      guard case .table(let names) = arguments.at(1), case .table(let table) = arguments.at(3)
      else { throw ScriptError("the test framework reports a block without its failure") }
      return .blockFailed(
        file: name, path: try names.elements().compactMap(\.legibleText),
        where: arguments.at(2).string ?? "block", try failure(table))
    }
  }

  private func outcome(
    _ status: String?, _ failures: LuaValue
  ) throws(ScriptError) -> ScriptTestOutcome {
    if status == "success" { return .passed }
    var tables: [LuaTable] = []
    if case .table(let list) = failures {
      tables = try list.elements().compactMap {
        if case .table(let table) = $0 { table } else { nil }
      }
    }
    if status == "pending" { return .skipped(try tables.first?.get("message").legibleText) }
    var read: [ScriptTestFailure] = []
    for table in tables { read.append(try failure(table)) }
    return .failed(read)
  }

  /// Reads a failure table of the framework: `kind`, `message`, `script`, `line`, `traceback`.
  func failure(_ table: LuaTable) throws(ScriptError) -> ScriptTestFailure {
    let error = ScriptError(
      failure: try table.get("message").legibleText ?? "", script: try table.string("script"),
      line: try table.get("line").int, traceback: try table.get("traceback").legibleText, in: vm)
    let kind = try table.string("kind").flatMap { ScriptTestFailure.Kind(rawValue: $0) } ?? .error
    return ScriptTestFailure(
      kind: kind, message: error.message, script: error.script, line: error.line,
      traceback: error.traceback, source: excerpt(of: error))
  }

  /// The lines around the line of an error, if the script was loaded.
  func excerpt(of error: ScriptError) -> ScriptExcerpt? {
    guard let script = error.script, let line = error.line else { return nil }
    if plain != nil { return plainText(of: script).flatMap { ScriptExcerpt(of: $0, around: line) } }
    return engine.modules.files.scripts[script].flatMap { ScriptExcerpt(of: $0.text, around: line) }
  }
}

extension Value {
  /// The strings of a list; empty for another value.
  fileprivate var strings: [String] { array?.compactMap(\.string) ?? [] }
}

extension TestContext {
  /// Waits inside the worker: runs requests of other threads, and thus the effects that they resume,
  /// until `isDone` returns true or `seconds` have passed.
  ///
  /// If the time of the test is over, or if the test is interrupted, it stops the scripts: each
  /// further instruction raises the error, even if a script catches it.
  ///
  /// - Parameter what: What the test waits for, in words that follow "it waits for".
  private func wait(
    atMost seconds: Double, for what: () -> String, until isDone: () -> Bool
  ) {
    let (vm, watch) = (vm, watch)
    let left = watch.remaining
    let asked = seconds < 1e9 ? Int64(seconds * 1e9) : nil
    let pumped = engine.link.pump(
      engine,
      atMost: [left, asked].compactMap(\.self).min(),
      isStopped: { watch.isInterrupted || vm.isStopping }, until: isDone)
    switch pumped {
    case .isDone: break
    case .timeIsOver where asked ?? .max < left ?? .max: break
    case .isStopped where watch.isInterrupted:
      vm.stop("interrupted; it waited for \(what())", isInterruption: true)
    case .isStopped, .timeIsOver:
      vm.stop("\(watch.overrun); it waits for \(what())", isInterruption: false)
    }
  }

  /// Connects `scripted.test` with the framework: test stores begin and end with each test, and
  /// wait as ``wait(atMost:for:until:)`` does. `hooks` has the functions `begin`, `check` and
  /// `finish` of the module.
  func addStoreHooks(_ hooks: LuaTable) throws(ScriptError) {
    for (hook, point) in [("begin", "atTestStart"), ("check", "atTestEnd"), ("finish", "cleanUp")] {
      _ = try function(point).call([try hooks.get(.string(hook))])
    }
    let session = engine.makeSession()
    session.pump = { [unowned self, unowned session] seconds, isOver in
      wait(
        atMost: seconds,
        for: {
          session.stores.flatMap(\.inFlight).map(\.wait).first ?? "what the host has to do"
        }, until: isOver)
    }
  }
}

extension EffectDescription {
  /// The effect and what it waits for, as `numberFact.fetch in Counter (counter.lua:12)`.
  fileprivate var wait: String { "\(waitingOn)\(feature.map { " in \($0)" } ?? "") (\(origin))" }
}
