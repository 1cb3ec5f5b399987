import ArgumentParser

/// Options for the tests of plain Lua libraries, named as busted names them.
struct PlainOptions: ParsableArguments {
  @Flag(
    inversion: .prefixedNo,
    help: """
      Run tests in the sandbox of features, or as plain Lua with `io`, `os` and `debug`. (default: \
      plain Lua if no Lua file below the root requires scripted)
      """)
  var sandbox: Bool?

  @Option(
    name: .shortAndLong, help: ArgumentHelp("The task of the file .busted.", valueName: "task"))
  var run: String?

  @Option(
    name: [.customShort("f"), .long],
    help: ArgumentHelp("A file in place of .busted.", valueName: "file"))
  var configFile: String?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Only files in whose name this Lua pattern is found. May be repeated.", valueName: "pattern"))
  var pattern: [String] = []

  @Option(
    help: ArgumentHelp(
      "No files in whose name this Lua pattern is found. May be repeated.", valueName: "pattern"))
  var excludePattern: [String] = []

  @Option(
    name: [.customShort("m"), .long],
    help: ArgumentHelp(
      "Comes before Lua's own path of modules. (default: the folder src)", valueName: "path"))
  var lpath: [String] = []

  @Option(
    help: ArgumentHelp(
      "Comes before Lua's own path of C modules. (default: the folder csrc)", valueName: "path"))
  var cpath: [String] = []

  @Option(
    help: ArgumentHelp(
      "A Lua file or a module that runs before the tests of each file.", valueName: "file"))
  var helper: String?

  @Option(
    name: .customLong("Xhelper", withSingleDash: true),
    help: ArgumentHelp("An argument of the helper. May be repeated.", valueName: "argument"))
  var helperArguments: [String] = []

  @Flag(help: "Makes setup and teardown the same as lazy_setup and lazy_teardown.")
  var lazy = false

  /// Whether an option is given that only plain Lua has.
  var areUsed: Bool {
    run != nil || configFile != nil || helper != nil || lazy || !pattern.isEmpty
      || !excludePattern.isEmpty || !lpath.isEmpty || !cpath.isEmpty || !helperArguments.isEmpty
  }
}
