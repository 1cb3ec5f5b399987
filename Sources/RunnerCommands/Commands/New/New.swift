import ArgumentParser

struct New: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract: "Begin a feature: a script with a view, and its tests, which pass.",
    discussion: """
      runner new shop.cart makes shop/cart.lua under the root, and its tests where the project has \
      tests: in tests/shop/cart_test.lua, or beside the feature. Nothing is overwritten. It also \
      writes .luarc.json and definitions in the folder types of the root, with which the Lua language \
      server knows what scripts see; definitions of another version of the runner are replaced.

      Exit status: 0; 64 for wrong usage; 73 when one of the files is there already, or cannot be \
      written; 74 when writing the output fails.
      """)

  @Argument(help: "A module name (todos, shop.cart), or the same with slashes.")
  var name: String

  @Option(help: "The folder of scripts; made if it is not there.")
  var root = "scripts"

  @Flag(help: "Begin a feature that stores a value in a file.")
  var shared = false

  func run() throws {
    StandardStreams.prepare()
    let scaffold = Scaffold(try ModuleName(name), root: root, isStored: shared)
    try scaffold.write()
    let changes = EditorFiles(root: root).write()
    let text: TerminalText = """
      created \(scaffold.script)
      created \(scaffold.test)
      \(changes.map { $0 + "\n" }.joined())
      next:
        runner test \(scaffold.test)
        runner run \(scaffold.feature)
        runner show \(scaffold.feature)

      """
    try StandardStreams.output(text.bytes)
  }
}
