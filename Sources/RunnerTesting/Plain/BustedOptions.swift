import RunnerShared

/// The options of busted that `runner test` does not have, and what to use in their place.
package enum BustedOptions {
  /// A message about the first argument that is such an option; nil if none is.
  package static func advice(on arguments: some Sequence<String>) -> String? {
    for argument in arguments.prefix(while: { $0 != "--" }) {
      let name = String(argument.prefix { $0 != "=" })
      guard let advice = advice[name] else { continue }
      return "runner test does not have busted's option '\(name)': \(advice)"
    }
    return nil
  }

  private static let advice: [String: String] = {
    let all: [([String], String)] = [
      (["-e"], "put the statement into a Lua file, and name that with --helper"),
      (["-C", "--directory"], "change to the folder first: cd FOLDER && runner test"),
      (["-c"], "use --coverage, which needs no LuaCov"),
      (
        ["--coverage-config-file"],
        "--coverage, --coverage-folder and --coverage-threshold say all that there is to say"
      ),
      (["-l"], "use --list"),
      (["-s", "--enable-sound"], "leave it out: there is no sound"),
      (["-k", "--keep-going"], "leave it out: a run goes on after a failure"),
      (["--no-keep-going"], "use --fail-fast"),
      (["-R", "--recursive"], "leave it out: folders are searched with all that is in them"),
      (["--no-recursive"], "name the files in place of the folder"),
      (
        ["--sort", "--sort-files", "--sort-tests"],
        "leave it out: files run in the order of their names, and tests as they are written"
      ),
      (["--shuffle-files", "--shuffle-tests"], "use --shuffle"),
      (
        [
          "--no-coverage", "--no-verbose", "--no-enable-sound", "--no-lazy", "--no-shuffle",
          "--no-shuffle-files", "--no-shuffle-tests", "--no-sort", "--no-sort-files",
          "--no-sort-tests", "--no-suppress-pending", "--no-defer-print",
        ], "leave it out: it is so without the option"
      ),
      (["--auto-insulate"], "leave it out: each file has a Lua VM of its own"),
      (["--no-auto-insulate"], "put what the files share into a file that --helper names"),
      (["--suppress-pending"], "leave out what is pending with --exclude-tags or --filter-out"),
      (["--defer-print"], "use --reporter pretty=FILE, and print that file afterwards"),
      (["-Xoutput"], "a reporter has no options; use --reporter NAME=FILE for a file"),
      (["--lang"], "leave it out: messages are in English"),
      (["--loaders"], "leave it out: only files in Lua are found"),
      (["--lua", "--ignore-lua"], "leave it out: tests run in the runner's own Lua 5.4"),
      (["--name"], "use --filter with a Lua pattern that is found in the name"),
      (["--exclude-names-file"], "use --filter-out with a Lua pattern for each name"),
      (["--log-success"], "use --reporter tap=FILE"),
    ]
    return Dictionary(
      all.flatMap { names, advice in names.map { ($0, advice) } }, uniquingKeysWith: { $1 })
  }()
}
