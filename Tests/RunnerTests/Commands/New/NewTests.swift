import Foundation
import Testing

/// runner new.
struct NewTests {
  let project: TestProject

  init() throws { project = try TestProject([:], hasFeature: false) }

  func run(_ arguments: String...) throws -> RunnerProcess.Outcome {
    try RunnerProcess.run(
      arguments, environment: project.environment(), in: project.folder.folder)
  }

  @Test func whatItMakesPassesItsTestsHasNothingToBeFoundAndRuns() throws {
    let made = try run("new", "shop.shopping_cart")
    #expect(
      made.output == """
        created scripts/shop/shopping_cart.lua
        created scripts/tests/shop/shopping_cart_test.lua
        created .luarc.json
        created scripts/types

        next:
          runner test scripts/tests/shop/shopping_cart_test.lua
          runner run shop.shopping_cart
          runner show shop.shopping_cart

        """)
    #expect(made.status == 0)
    let tests = try run("test")
    #expect(tests.lines.last == "3 passed, 0 failed", "\(tests.output)")
    #expect(try run("check", "--strict").output == "nothing found in 2 scripts\n")
    #expect(try run("tree", "shop.shopping_cart").output.hasPrefix("ShoppingCart (feature at"))
    #expect(
      try run("show", "shop.shopping_cart").output == """
        ShoppingCart
        ════════════

        Count: 0
        [ Increment ]

        """)
  }

  @Test func withSharedItStoresAValueInAFileWhichTheNextRunFinds() throws {
    let made = try run("new", "shop.cart", "--shared")
    #expect(made.lines.last == "  runner show shop.cart --shared data")
    #expect(try run("test").lines.last == "3 passed, 0 failed")
    #expect(try run("check", "--strict").output == "nothing found in 2 scripts\n")
    try project.folder.write("{\"type\": \"increment\", \"by\": 2}\n", to: "actions.jsonl")
    for count in [2, 4] {
      let outcome = try run(
        "run", "shop.cart", "--shared", "data", "--actions", "actions.jsonl", "--print-state")
      #expect(outcome.lines.last == "{\"state\":{\"count\":\(count)}}", "\(outcome.errors)")
    }
    #expect(try project.folder.text("data/shop/cart.json") == "4\n")
  }

  @Test func slashesDoAsDotsAndTheRootIsMadeIfItIsNotThere() throws {
    let made = try run("new", "a/b", "--root", "other/lua")
    #expect(
      made.lines.prefix(2) == ["created other/lua/a/b.lua", "created other/lua/tests/a/b_test.lua"])
    #expect(made.lines.last == "  runner show a.b --root other/lua")
    #expect(try run("test", "--root", "other/lua").status == 0)
    #expect(made.lines.contains("  runner test other/lua/tests/a/b_test.lua --root other/lua"))
  }

  @Test(arguments: ["other/lua", "my scripts"])
  func theCommandsThatItPrintsWork(root: String) throws {
    let made = try run("new", "a/b", "--root", root, "--shared")
    let commands = made.lines.filter { $0.hasPrefix("  runner ") }
    #expect(commands.count == 3)
    for command in commands {
      let outcome = try RunnerProcess.shell(
        #"XDG_CACHE_HOME="$PWD/cache" "$RUNNER""# + command.dropFirst("  runner".count),
        in: project.folder.folder)
      #expect(outcome.status == 0, "\(command): \(outcome.output)\(outcome.errors)")
    }
  }

  @Test func testsGoWhereTheProjectHasTests() throws {
    try project.write("it('is', function() end)", to: "one_spec.lua")
    #expect(try run("new", "two").lines[1] == "created scripts/two_spec.lua")
    try project.write("it('is', function() end)", to: "tests/one_test.lua")
    #expect(try run("new", "three").lines[1] == "created scripts/tests/three_test.lua")
  }

  @Test(arguments: ["box.lua", "box/init.lua", "tests/box_test.lua"])
  func nothingIsOverwritten(path: String) throws {
    try project.write("-- mine", to: path)
    let outcome = try run("new", "box")
    #expect(outcome.status == 73)
    #expect(outcome.errors == "error: scripts/\(path) is there already\n")
    #expect(try project.folder.text("scripts/" + path) == "-- mine")
    let scripts = project.folder.url("scripts")
    let files = FileManager.default.enumerator(atPath: scripts.path)?.compactMap { $0 as? String }
    #expect(files?.filter { $0.hasSuffix(".lua") } == [path])
  }

  @Test func whereOneFileCannotBeWrittenTheOtherIsNotThereEither() throws {
    try project.write("", to: "tests")
    let outcome = try run("new", "box")
    #expect(outcome.status == 73)
    #expect(outcome.errors.hasPrefix("error: scripts/tests/box_test.lua: "))
    #expect(!FileManager.default.fileExists(atPath: project.folder.url("scripts/box.lua").path))
  }

  @Test func controlCharactersOfAPathOrANameAreEscaped() throws {
    let made = try run("new", "cart", "--root", "a\u{1B}[31mb")
    #expect(made.status == 0 && made.output.hasPrefix(#"created a\027[31mb/cart.lua"#))
    let refused = try run("new", "a\u{1B}[31mb")
    #expect(refused.status == 64 && refused.errors.hasPrefix(#"error: 'a\027[31mb' is not a name"#))
    let unknown = try run("new", "cart", "--a\u{1B}[31mb")
    #expect(unknown.status == 64 && unknown.errors.contains(#"--a\027[31mb"#))
    for outcome in [made, refused, unknown] {
      #expect(!(outcome.output + outcome.errors).contains("\u{1B}"))
    }
  }

  @Test func aFileThatWouldBeLargerThanAllowedIsAnErrorAndNoSignal() throws {
    let outcome = try RunnerProcess.shell(
      #"ulimit -f 1; "$RUNNER" docs > docs.txt"#, in: project.folder.folder)
    #expect(outcome.status == 74)
    #expect(outcome.errors == "error: standard output: File too large\n")
  }

  @Test func anOutputThatCannotBeWrittenIsAnError() throws {
    guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
    let outcome = try RunnerProcess.shell(
      #""$RUNNER" new box > /dev/full"#, in: project.folder.folder)
    #expect(outcome.status == 74)
    #expect(outcome.errors == "error: standard output: No space left on device\n")
  }

  @Test(arguments: [
    "", "a b", "../a", "/a", "a..b", "a.", "3d", "größe", "a.lua", "scripted.x", "a_test",
    "b_spec",
  ])
  func aNameThatIsNoneSaysWhatOneIs(name: String) throws {
    let outcome = try run("new", name)
    #expect(outcome.status == 64)
    #expect(outcome.errors.hasPrefix("error: "))
    #expect(outcome.output == "")
  }
}
