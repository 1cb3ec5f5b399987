import ArgumentParser
import LuaBridge
import Platform
import RunnerShared
import ScriptTypesGenerator
import ScriptedStore

struct SwiftCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "swift",
    abstract: "Print Swift types for the state and the actions of features.",
    discussion: """
      The types are made of the initial state, of how the feature is composed, and of the annotations \
      of the Lua language server: ---@class, ---@field, ---@alias, ---@type, and ---@param above a \
      handler for the payload of its action. Several features share the types of what they have in \
      common. With --check nothing is printed unless the file differs.

      Exit status: 0; 1 when the file of --check differs; 64 for wrong usage; 66 when a script is \
      missing, does not load, or has an annotation that means nothing; 74 when reading or writing fails.
      """)

  @Argument(
    help: ArgumentHelp(
      "Module names under the root (todos, shop.cart), or paths of their files.",
      valueName: "feature"))
  var features: [String]

  @Option(help: "The folder that `require` is confined to. (default: as for runner run)")
  var root: String?

  @Option(
    help: ArgumentHelp(
      "What the names of the types begin with. (default: the feature's name)", valueName: "Name"))
  var name: String?

  @Option(help: "Who can use the types: internal, package or public.")
  var access: SwiftTypes.Access = .internal

  @Option(help: ArgumentHelp("Write to a file, which is replaced.", valueName: "file"))
  var output: String?

  @Option(help: ArgumentHelp("Compare with a file that was made before.", valueName: "file"))
  var check: String?

  @Option(
    name: .customLong("dependency"),
    help: ArgumentHelp(
      "A dependency that the host offers and the runner does not know. May be repeated.",
      valueName: "name"))
  var dependencies: [String] = []

  func validate() throws {
    guard !features.isEmpty else { throw ValidationError("name a feature") }
    guard name == nil || features.count == 1 else {
      throw ValidationError("--name is for one feature")
    }
    guard output == nil || check == nil else {
      throw ValidationError("--output writes the file that --check compares; use one of them")
    }
  }

  func run() throws {
    let locations = features.map { ScriptLocation($0, root: self.root) }
    let root = locations[0].root
    ScriptPaths.use(root: root)
    let types: SwiftTypes
    do {
      types = try SwiftTypes(
        locations.map { .init(module: $0.feature, name: name) }, root: root,
        access: access, dependencies: dependencies)
    } catch let error as TypesError {
      // The form in which compilers write errors, so that editors show it at its line.
      guard let script = error.script else { throw fail(.noInput, "\(error.message)") }
      let path = ScriptPaths.path(of: script)
      StandardStreams.error("\(path):\(error.line): error: \(error.message)")
      throw ExitCode.noInput
    } catch let error as ScriptError {
      throw fail(.noInput, "\(describe(error))")
    }
    if let check { return try compare(types, with: check) }
    guard let output else { return try StandardStreams.output(Array(types.text.utf8)) }
    do throws(FileFault) {
      try OrdinaryFile.save(Array(types.text.utf8), to: output)
    } catch {
      throw fail(.ioError, "\(output): \(error)")
    }
  }

  /// Prints the first difference as compilers do, with the lines of the file and of the script.
  private func compare(_ types: SwiftTypes, with file: String) throws {
    let bytes: [UInt8]
    do throws(FileFault) {
      bytes = try WholeFile.read(file)
    } catch {
      throw fail(.ioError, "\(file): \(error)")
    }
    guard let drift = types.drift(from: String(decoding: bytes, as: UTF8.self)) else { return }
    let found = drift.found.map { "'\($0.trimmed)'" } ?? "the end of the file"
    let expected = drift.expected.map { "'\($0.trimmed)'" } ?? "the end of the file"
    StandardStreams.error(
      "\(file):\(drift.line): error: here is \(found), and the scripts say \(expected); \(command(writing: file))"
    )
    if let source = drift.source {
      let path = ScriptPaths.path(of: source.script)
      StandardStreams.error("\(path):\(source.line): note: which is made of this line")
    }
    throw ExitCode.failure
  }

  /// The command that writes the file, for a shell.
  private func command(writing file: String) -> String {
    var words = ["runner", "swift"] + features
    if let root { words += ["--root", root] }
    if let name { words += ["--name", name] }
    if access != .internal { words += ["--access", access.rawValue] }
    for dependency in dependencies { words += ["--dependency", dependency] }
    return (words + ["--output", file]).map(shellWord).joined(separator: " ")
  }
}

extension SwiftTypes.Access: ExpressibleByArgument {}
