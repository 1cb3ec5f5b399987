import ArgumentParser
import Platform
import RunnerShared

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
    let scaffold = Scaffold(try ModuleName(name), root: root, isStored: shared)
    try scaffold.write()
    let changes = EditorFiles(root: root).write()
    let text: TerminalText = """
      created \(scaffold.script)
      created \(scaffold.test)
      \(changes.map { $0 + "\n" }.joined())
      next:
        runner test \(scaffold.testArguments)
        runner run \(scaffold.feature)
        runner show \(scaffold.feature)

      """
    try StandardStreams.output(text)
  }
}

/// A valid name for a new module.
struct ModuleName {
  let segments: [String]

  init(_ text: String) throws(ValidationError) {
    segments = text.split(omittingEmptySubsequences: false) { $0 == "." || $0 == "/" }.map(
      String.init)
    if segments.count > 1, segments.last == "lua" {
      throw ValidationError("leave .lua off: runner new \(text.dropLast(4))")
    }
    for segment in segments {
      guard segment.first?.isLetter == true,
        segment.utf8.allSatisfy({ $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "_") })
      else {
        throw ValidationError(
          "'\(text)' is not a name for a module: letters, digits and _, as in todos or shop.cart")
      }
    }
    let last = segments.last ?? ""
    if last.hasSuffix("_test") || last.hasSuffix("_spec") {
      throw ValidationError(
        "a file with the name \(last) would be one of tests; the feature gets one")
    }
    if segments[0] == "scripted" {
      throw ValidationError("modules named scripted are the host's own")
    }
  }

  /// The feature's name: `ShoppingCart` for `shop.shopping_cart`.
  var feature: String {
    (segments.last ?? "").split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }
      .joined()
  }

  var module: String { segments.joined(separator: ".") }
  var path: String { segments.joined(separator: "/") }
}
