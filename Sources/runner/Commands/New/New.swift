import ArgumentParser

struct New: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract: "Begin a feature: a script and its tests, which pass.",
    discussion: """
      runner new shop.cart makes shop/cart.lua under the root, and its tests where the project has \
      tests: in tests/shop/cart_test.lua, or beside the feature. Nothing is overwritten.

      Exit status: 0; 64 for wrong usage; 73 when one of the files is there already, or cannot be \
      written; 74 when writing the output fails.
      """)

  @Argument(help: "A module name (todos, shop.cart), or the same with slashes.")
  var name: String

  @Option(help: "The folder of scripts; made if it is not there.")
  var root = "scripts"

  func run() throws {
    StandardStreams.prepare()
    let scaffold = Scaffold(try ModuleName(name), root: root)
    try scaffold.write()
    try StandardStreams.output(
      Array(
        """
        created \(scaffold.script)
        created \(scaffold.test)

        runner test \(scaffold.test)
        runner run \(scaffold.feature)

        """.utf8))
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
      guard segment.first?.isLetter == true, segment.utf8.allSatisfy(Self.isAllowed) else {
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

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
    default: false
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

/// The files of a new feature.
struct Scaffold {
  let name: ModuleName
  let root: String
  /// The paths of the two files.
  let script: String
  let test: String

  init(_ name: ModuleName, root: String) {
    self.name = name
    self.root = root
    script = Paths.join(root, name.path + ".lua")
    test = Paths.join(root, Self.test(of: name, in: root))
  }

  /// The path of the test, relative to the root. It is below `tests` if that folder exists, or if
  /// the root has no tests yet. Otherwise it is beside the script, with the suffix of the existing
  /// tests.
  private static func test(of name: ModuleName, in root: String) -> String {
    let ownFolder = "tests/\(name.path)_test.lua"
    if Paths.isFolder(Paths.join(root, "tests")) || !Paths.isFolder(root) { return ownFolder }
    guard let first = try? FileSearch([], root: root).files.first else { return ownFolder }
    return name.path + (first.name.hasSuffix("_spec.lua") ? "_spec.lua" : "_test.lua")
  }

  /// The arguments of `runner run` for this feature.
  var feature: String { root == "scripts" ? name.module : "\(name.module) --root \(root)" }

  /// Writes both files, or neither of them.
  func write() throws(ExitCode) {
    let module = Paths.join(root, name.path + "/init.lua")
    for path in [script, module, test] where Paths.real(path) != nil {
      throw fail(.cannotCreate, "\(path) is there already")
    }
    try write(scriptText, to: script)
    do {
      try write(testText, to: test)
    } catch {
      WholeFile.remove(script)
      throw error
    }
  }

  private func write(_ text: String, to path: String) throws(ExitCode) {
    do throws(ErrorNumber) {
      if let slash = path.lastIndex(of: "/"), slash > path.startIndex {
        try WholeFile.makeFolder(String(path[..<slash]))
      }
      try WholeFile.create(Array(text.utf8), at: path)
    } catch {
      throw fail(.cannotCreate, "\(path): \(errorText(error.rawValue))")
    }
  }

  private var scriptText: String {
    """
    -- What this feature is for, in a sentence.
    local scripted = require "scripted"
    local effect = scripted.effect

    return scripted.feature {
      name = "\(name.feature)",
      state = { count = 0 },
      dependencies = { "clock" },
      on = {
        -- { by = number? }
        increment = function(state, action) state.count = state.count + (action.by or 1) end,

        incrementLater = function()
          return effect.run(function(send, deps)
            deps.clock.sleep(1)
            send("increment")
          end)
        end,
      },
    }

    """
  }

  private var testText: String {
    """
    local test = require "scripted.test"
    local \(name.feature) = require "\(name.module)"

    describe("\(name.feature)", function()
      it("counts", function()
        local store = test.store(\(name.feature))

        store:send("increment", function(state) state.count = 1 end)
        store:send("increment", { by = 41 }, function(state) state.count = 42 end)
      end)

      it("counts a second later", function()
        local clock = test.clock()
        local store = test.store(\(name.feature), { dependencies = { clock = clock } })

        store:send("incrementLater")
        clock:advance(1)
        store:receive("increment", function(state) state.count = 1 end)
      end)
    end)

    """
  }
}
