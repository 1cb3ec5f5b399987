import ArgumentParser
import Platform
import RunnerShared

/// The files of a new feature.
struct Scaffold {
  let name: ModuleName
  let root: String
  /// Whether the feature stores a value in a file.
  let isStored: Bool
  /// The paths of the two files.
  let script: String
  let test: String

  init(_ name: ModuleName, root: String, isStored: Bool) {
    self.name = name
    self.root = root
    self.isStored = isStored
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

  /// The option for the root in commands; empty for the usual one.
  private var rootOption: String { root == "scripts" ? "" : " --root \(shellWord(root))" }

  /// The arguments of `runner run` for this feature.
  var feature: String { name.module + rootOption + (isStored ? " --shared data" : "") }

  /// The arguments of `runner test` for its tests.
  var testArguments: String { shellWord(test) + rootOption }

  /// Writes both files, or neither of them.
  func write() throws(ExitCode) {
    let module = Paths.join(root, name.path + "/init.lua")
    for path in [script, module, test] where Paths.real(path) != nil {
      throw fail(.cannotCreate, "\(path) is there already")
    }
    try write(isStored ? storedScriptText : scriptText, to: script)
    do {
      try write(testText, to: test)
    } catch {
      unlink(script)
      throw error
    }
  }

  private func write(_ text: String, to path: String) throws(ExitCode) {
    do throws(FileFault) {
      let folder = Paths.folder(of: path)
      if !folder.isEmpty { try WholeFile.makeFolder(folder) }
      try WholeFile.create(Array(text.utf8), at: path)
    } catch {
      throw fail(.cannotCreate, "\(path): \(error)")
    }
  }

  private var scriptText: String {
    """
    -- What this feature is for, in a sentence.
    local scripted = require "scripted"
    local ui = require "scripted.ui"
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
    \(viewText)
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

    \(isStored ? storedTestText : laterTestText)
    \(viewTestText)
    end)

    """
  }

  private var laterTestText: String {
    """
      it("counts a second later", function()
        local clock = test.clock()
        local store = test.store(\(name.feature), { dependencies = { clock = clock } })

        store:send("incrementLater")
        clock:advance(1)
        store:receive("increment", function(state) state.count = 1 end)
      end)
    """
  }

  // MARK: The view

  private var viewText: String {
    """
      view = function(state)
        return ui.screen {
          title = "\(name.feature)",
          ui.text("Count: " .. state.count),
          ui.button { "Increment", action = "increment" },
        }
      end,
    """
  }

  private var viewTestText: String {
    """

      it("shows the count, and a button that counts", function()
        local view = test.view(\(name.feature))

        view:find("button", "Increment"):tap(function(state) state.count = 1 end)
        view:find("text", "Count: 1")
      end)
    """
  }

  // MARK: With a stored value

  private var storedScriptText: String {
    """
    -- What this feature is for, in a sentence.
    local scripted = require "scripted"
    local ui = require "scripted.ui"

    -- The count is in a file of the folder that `--shared` names. Other features that share the key show the same value.
    local count = scripted.shared.fileStorage("\(name.path).json", 0)

    return scripted.feature {
      name = "\(name.feature)",
      shared = { count = count },
      on = {
        -- { by = number? }
        increment = function(state, action) state.count = state.count + (action.by or 1) end,
      },
    \(viewText)
    }

    """
  }

  private var storedTestText: String {
    """
      it("finds its count again", function()
        test.store(\(name.feature)):send("increment", function(state) state.count = 1 end)
        test.storage.restart()

        assert.are.equal(1, test.store(\(name.feature)).state.count)
      end)
    """
  }
}
