import Foundation
import Testing

/// What runner run does when something is wrong.
struct FaultTests {
  let scripts: TemporaryFolder

  init() throws { scripts = try .counter() }

  func run(_ input: String, _ options: String...) throws -> RunnerProcess.Outcome {
    try RunnerProcess.run(
      ["run", "counter", "--root", scripts.path, "--print-state"] + options, input: input,
      in: scripts.folder)
  }

  @Test func aHandlerThatRaisesIsRolledBackToldOfInFullAndTheRunGoesOn() throws {
    let outcome = try run("\"break_\"\n\"increment\"\n")
    #expect(outcome.status == 1)
    #expect(outcome.lines.first?.contains(#""patch":[]"#) == true)
    #expect(outcome.lines.last == #"{"state":{"count":1,"label":""}}"#)
    #expect(outcome.errors.contains("counter.lua:13: out of order"))
    #expect(outcome.errors.contains("stack traceback:"))
    #expect(outcome.errors.contains(#"{"type":"break_"}"#))
  }

  @Test func failingFastEndsTheRunAtTheFirstActionThatRaises() throws {
    let outcome = try run("\"break_\"\n\"increment\"\n", "--fail-fast")
    #expect(outcome.status == 1)
    #expect(outcome.lines.last == #"{"state":{"count":0,"label":""}}"#)
  }

  @Test(arguments: [
    #"{"type":"increment""#, "nonsense }", "3", "[]", #"["a"]"#, #"[1, {}]"#, "null",
    #"{"by":2}"#, #"{"type":7}"#,
    #""todos[""#, #""""#, #"{"wait":"long"}"#, #"{"wait":-1}"#, #"{"wait":1e16}"#,
    #"{"type":"a"} {"type":"b"}"#,
  ])
  func aMalformedLineEndsTheRunWithItsNumber(line: String) throws {
    let outcome = try run("\"increment\"\n\n\(line)\n\"increment\"\n")
    #expect(outcome.status == 65)
    #expect(outcome.errors.hasPrefix("error: standard input:3"))
    #expect(outcome.errors.split(separator: "\n").count == 1)
    #expect(outcome.lines.last == #"{"state":{"count":1,"label":""}}"#)
  }

  @Test(arguments: [
    "increment", "increment {\"by\": 1}", "increment { by = 1 }", "\"increment\" { by = 1 }",
    "[\"increment\", { \"by\": 1 }]", "{\"type\": \"increment\"}", "  increment  ",
    "\"increment\" \"a text\"", "\"increment\" \"\" ", "\"\\u0069ncrement\"",
  ])
  func anActionIsWrittenAsInRunnerDevOrAsJSON(line: String) throws {
    let outcome = try run(line + "\n")
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
    #expect(outcome.lines.last == #"{"state":{"count":1,"label":""}}"#)
  }

  @Test func aRootThatIsAFileAndAStateThatIsAListAreToldAsSuch() throws {
    let script = scripts.path + "/counter.lua"
    let root = try RunnerProcess.run(["run", "counter", "--root", script])
    #expect(root.status == 66)
    #expect(root.errors == "error: the script root \(script) is not a folder\n")
    let state = try run("", "--state", "[1]")
    #expect(state.status == 66)
    #expect(state.errors.contains("the state given to counter must be an object"))
  }

  @Test func aMisspeltFieldOfStateIsRefused() throws {
    let misspelt = try run("", "--state", #"{"conut": 3}"#)
    #expect(misspelt.status == 66)
    #expect(
      misspelt.errors.contains(
        "the state given to counter has the key 'conut', which its initial state does not have; did you mean 'count'?"
      ))
    for known in [#"{"count": 3}"#, #"{"count": 3, "counts": 4}"#, #"{"selection": 3}"#] {
      #expect(try run("", "--state", known).errors == "")
    }
  }

  @Test func aMisspeltCommandIsSuggestedAnotherOneIsAnUnexpectedArgument() throws {
    let misspelt = try RunnerProcess.run(["tets"])
    #expect(misspelt.status == 64 && misspelt.output == "")
    #expect(misspelt.errors == "error: there is no command 'tets'; did you mean 'test'?\n")
    let other = try RunnerProcess.run(["nonsense"])
    #expect(other.status == 64 && other.errors.contains("nonsense"))
    #expect(!other.errors.contains("did you mean"))
  }

  @Test(arguments: [
    (["--seed", "-1"], "--seed takes no number below 0, and -1 is one"),
    (["--max-time", "-0.5"], "--max-time takes no number below 0, and -0.5 is one"),
    (["--max-effects", "0"], "--max-effects must be at least 1"),
    (["--max-time", "0"], "--max-time must be more than 0 seconds"),
    (["--seed"], "Missing value for '--seed <number>'"),
  ])
  func anOptionsNumberIsRefusedByTheNameOfTheOption(options: [String], message: String) throws {
    let outcome = try RunnerProcess.run(["run", "counter"] + options, in: scripts.folder)
    #expect(outcome.status == 64)
    #expect(outcome.errors.hasPrefix("error: \(message)\n"), "\(outcome.errors)")
  }

  @Test func aRecordingIsNoFileOfActionsAndAFileOfActionsNoRecording() throws {
    try scripts.write(#"{"recording":1,"feature":"counter","state":{}}"# + "\n", to: "r.jsonl")
    try scripts.write("increment\n", to: "a.jsonl")
    let run = try run("", "--actions", "r.jsonl")
    #expect(run.status == 65)
    #expect(
      run.errors
        == "error: r.jsonl:1: this is a recording, and no file of actions; `runner replay FILE` reduces it again\n"
    )
    let replay = try RunnerProcess.run(["replay", "a.jsonl"], in: scripts.folder)
    #expect(replay.status == 65)
    #expect(
      replay.errors.hasSuffix(
        "; if it is a file of actions, `runner run FEATURE --actions FILE` takes it\n"),
      "\(replay.errors)")
  }

  @Test(arguments: [
    ["--nope"], ["nonsense"], ["run"], ["run", "todos", "--state", "[1"],
    ["run", "todos", "--max-time", "0"], ["run", "absent"], ["dev", "--nope"], ["dev", "absent"],
    ["replay"], ["replay", "absent"], ["test", "--shard", "3/2"], ["test", "absent"],
    ["tree", "--format", "x"], ["tree", "absent"], ["check", "--format", "x"],
    ["check", "absent"], ["new"], ["new", "3d"],
  ])
  func everyCommandBeginsWhatWentWrongWithErrorInItsArgumentsToo(arguments: [String]) throws {
    let outcome = try RunnerProcess.run(arguments)
    #expect(outcome.errors.hasPrefix("error: "), "\(outcome.errors)")
    #expect(outcome.output == "")
    #expect(outcome.status == 64 || outcome.status == 66)
  }

  @Test func theRunGoesOnAfterAMalformedLineWhenToldToAndStillSaysSoAtTheEnd() throws {
    let outcome = try run("\"increment\"\nnonsense }\n\"increment\"\n{}\n", "--keep-going")
    #expect(outcome.status == 65)
    #expect(outcome.errors.contains("standard input:2"))
    #expect(outcome.errors.contains("standard input:4"))
    #expect(outcome.lines.last == #"{"state":{"count":2,"label":""}}"#)
  }

  @Test func aCommandOfRunnerDevIsAMalformedLineThatIsToldSo() throws {
    let outcome = try run("\"increment\"\n:state\n")
    #expect(outcome.status == 65)
    #expect(
      outcome.errors.contains("standard input:2: commands with a colon are for runner dev"),
      "\(outcome.errors)")
  }

  @Test func invalidUTF8IsAMalformedLine() throws {
    let outcome = try RunnerProcess.shell(
      #"printf '"increment"\n{"type":"label","text":"\377"}\n' | "#
        + "$RUNNER run counter --root \(scripts.path)")
    #expect(outcome.status == 65)
    #expect(outcome.errors.contains("standard input:2"))
    #expect(outcome.lines.count == 1)
  }

  @Test(arguments: [
    ("on = {", "broken.lua:1: "),
    (
      "local n = 0\nn += 1", "broken.lua:2: syntax error near '+'; write 'a = a + b' for 'a += b'"
    ),
    ("if 1 != 2 then end", "broken.lua:1: 'then' expected near '!'; write 'a ~= b' for 'a != b'"),
    (
      "local a = 1 && 2", "broken.lua:1: unexpected symbol near '&'; write 'a and b' for 'a && b'"
    ),
    ("error 'no'", "broken.lua:1: no\nstack traceback:"),
    ("error { code = 3 }", "broken.lua:1: error value: { code = 3 }"),
    ("return 7", "broken.lua:1: broken returns no feature"),
    ("", "broken.lua: broken returns no feature"),
    ("return require 'absent'", "broken.lua:1: there is no module 'absent'"),
    ("return require 'broken'", "broken.lua:1: these modules require each other"),
    ("\u{1B}Lua", "attempt to load a binary chunk"),
  ])
  func aScriptThatGivesNoFeatureEndsTheRunBeforeItStarts(script: String, message: String) throws {
    let outcome = try load(script)
    #expect(outcome.status == 66)
    let code = outcome.errors.hasPrefix("error[syntax]: ") ? "[syntax]" : ""
    #expect(outcome.errors.hasPrefix("error\(code): \(message)"))
    #expect(outcome.output == "")
  }

  @Test(arguments: [
    (
      "if n then f() else if n then g() end",
      "an 'else if' needs an 'end' of its own; write 'elseif'"
    ),
    ("if n then\n  f()\nelse if n then\n  g()\nend", "write 'elseif'"),
    ("if n {\n  n = 1\n}", "write 'if condition then … end', without braces"),
    ("if n == 1 { return 1 }", "write 'if condition then … end', without braces"),
    ("if (n == 1) {\n  return 1\n}", "write 'if condition then … end', without braces"),
    ("while n > 1 {\n  f()\n}", "write 'while condition do … end', without braces"),
    ("for x in xs {\n  f()\n}", "write 'for index, x in ipairs(list) do … end', without braces"),
    ("local a = b ?? 1", "write 'a or b' for 'a ?? b'"),
    ("local a = b ? 1 : 2", "write 'c and a or b' for 'c ? a : b'"),
    ("a?.b()", "write 'a and a.b' for 'a?.b'"),
    ("let x = 1", "write 'local x = …'"),
    ("var x = 1", "write 'local x = …'"),
    ("func syntaxOfOtherLanguagesIsNamedWithWhatLuaHasForIt() end", "write 'function f(…) … end'"),
    ("guard let x = y else { return }", "write 'if not condition then return end' for 'guard'"),
    ("switch n {\ncase 1: f()\n}", "write 'if … then … elseif … then … end' for 'switch'"),
    ("switch (n) {\ncase 1: f()\n}", "write 'if … then … elseif … then … end' for 'switch'"),
    ("local a = [1, 2]", "write '{ a, b }' for a list '[a, b]'"),
    (#"local a = "n: \(n)""#, #"write '"a " .. x' for '"a \(x)"'"#),
    ("local a = 1 // the count of it", "a comment begins with '--'"),
    ("f() // shown", "a comment begins with '--'"),
    ("f() /* shown */", "a comment begins with '--', one of several lines is '--[[ … ]]'"),
    (#"local a = { "b": 1 }"#, "write 'name = value' in a table, for '\"name\": value'"),
    (#"local a = { name: "P" }"#, "write 'name = …' in a table, for 'name: …'"),
    ("local a = { b: c }", "write 'b = …' in a table, for 'b: …'"),
    ("local a = n[id: 1]", "write 'scripted.list.find(list, id)' for 'list[id: id]'"),
    ("return .none", "write 'return effect.none', or nothing, for 'return .none'"),
    ("return run { send in\n  send('x')\n}", "write 'function(send) … end' for '{ send in … }'"),
    ("return try f()", "write 'f()' for 'try f()'"),
    ("await f()", "write 'f()' for 'await f()'"),
    ("throw problem", "write 'error(…)' for 'throw …'"),
    ("for i = 1, 3 do if n then continue end end", "write 'goto continue', and '::continue::'"),
    ("for i = 1, 3 do\n  f()\n  continue\nend", "write 'goto continue', and '::continue::'"),
    ("return n; f()", "'return' must be the last statement of its block"),
    ("return n\nlocal x = 1", "'return' must be the last statement of its block"),
  ])
  func foreignSyntax(body: String, remedy: String) throws {
    let outcome = try load("return {\n  go = function(n)\n\(body)\n  end,\n}")
    #expect(outcome.status == 66)
    #expect(outcome.errors.hasPrefix("error[syntax]: broken.lua:"))
    #expect(outcome.errors.contains("; \(remedy)"), "\(outcome.errors)")
  }

  @Test(arguments: [
    (
      "for i = 1, n do\n  goto continue\nend\n\n",
      "broken.lua:4: there is no label 'continue' for this 'goto'; write '::continue::' in front of the "
        + "'end' of the loop"
    ),
    (
      "goto dnoe\n::done::",
      "broken.lua:3: there is no label 'dnoe' for this 'goto'; write '::dnoe::' where it leads to"
    ),
    ("f()\nbreak\n", "broken.lua:4: there is no loop around this 'break'; leave a function"),
    (
      "goto done\nlocal x = 1\n::done::\nf(x)",
      "broken.lua:3: this 'goto' jumps into the scope of the local 'x'; declare the local"
    ),
  ])
  func aJumpThatLeadsNowhereIsToldAtItsLine(body: String, message: String) throws {
    let outcome = try load("return {\n  go = function(n)\n\(body)\n  end,\n}")
    #expect(outcome.errors.hasPrefix("error[syntax]: \(message)"), "\(outcome.errors)")
  }

  @Test(arguments: [
    "n = n +", "local t = { 1, 2", "if n == 1 then return 1", "local f = function() return 1 }",
    "f() end", "if n then f() else g()", #"local a = "http://a b" c d"#, #"f("a: b" c)"#,
  ])
  func luasOwnMistakesGetNoRemedyOfAnotherLanguage(body: String) throws {
    let outcome = try load("return {\n  go = function(n)\n\(body)\n  end,\n}")
    #expect(outcome.errors.hasPrefix("error[syntax]: broken.lua:"))
    #expect(!outcome.errors.contains("; "), "\(outcome.errors)")
  }

  @Test(arguments: [
    (":scope('a', scripted.empty):forEach('a', scripted.empty)", "action name 'a'"),
    (":scope('a', 7)", "reducer expected, got number"),
    (", scripted.feature { state = { a = { b = print } } }", "state.a.b: a function"),
    (", scripted.feature { state = { a = '\\xFF' } }", "state.a: a string that is not UTF-8"),
    (", scripted.feature { state = deep(129) }", "nested deeper than 128"),
    (", scripted.feature { onn = {} }", "did you mean 'on'?"),
  ])
  func aFeatureThatIsDescribedWronglyIsRefusedWithItsLine(expression: String, message: String)
    throws
  {
    let outcome = try load(
      """
      local scripted = require "scripted"
      local function deep(n) return n > 1 and { deep(n - 1) } or {} end
      return scripted.feature { name = "Broken" }\(expression)
      """)
    #expect(outcome.status == 66)
    #expect(outcome.errors.hasPrefix("error: broken.lua:3: "))
    #expect(outcome.errors.contains(message))
    #expect(outcome.output == "")
  }

  private func load(_ script: String) throws -> RunnerProcess.Outcome {
    try scripts.write(script, to: "broken.lua")
    return try RunnerProcess.run(
      ["run", "broken", "--root", scripts.path, "--print-state"], input: "\"increment\"\n",
      in: scripts.folder)
  }

  @Test(arguments: [
    ("return 7", "a handler returns an effect or nothing; this one returned a number"),
    ("return {}", "a handler returns an effect or nothing; this one returned a table"),
    ("return effect.send { by = 2 }", "has no type"),
    ("return effect.send('todos[')", "malformed action path"),
    ("state.list[1].onTap = print", "state.list[1].onTap: a function cannot be stored"),
    ("state.list[1].text = '\\xFF'", "state.list[1].text: a string that is not UTF-8"),
    ("state.list[1].ratio = 0 / 0", "state.list[1].ratio: NaN"),
    ("state.list[3] = {}", "state.list[2]: an array cannot have a hole"),
    ("local t = {} for _ = 1, 127 do t = { t } end state.deep = t", "deeper than 128"),
    ("state.missing.key = 1", "attempt to index a nil value (field 'missing')"),
    ("local function f() return 1 + f() end f()", "stack overflow"),
    ("undeclared = 1", "global 'undeclared' is not declared"),
    ("for _ in ipairs(nil) do end", "'ipairs(list or {})' also takes nil"),
    (
      "local home = os.getenv('HOME')",
      "rogue.lua:10: os.getenv is not available to scripts; the host can offer the value as a dep"
    ),
    ("local s = 'a' + 'b'", "add a 'string' with a 'string'; write 'a .. b' to join texts"),
    ("local s = 'a' + 1", "'string' with a 'number'; write 'a .. b' to join texts"),
    (
      "state.list.append(1)",
      "(field 'append'); a list has no functions of its own; write 'table.ins"
    ),
    (
      "state.list:insert(1)",
      "(method 'insert'); a list has no functions of its own; write 'table.ins"
    ),
    (
      "state.list:filter(print)",
      "a list has no functions of its own; write 'scripted.list.filter(list, fn)'"
    ),
    (
      "local _ = ('text'):contains('B')",
      "for a text write 'text:find(\"B\", 1, true)', for a list write 'scripted.list.any(list, fn)'"
    ),
    ("local _ = ('text'):uppercased()", "(method 'uppercased'); for a text write 'text:upper()'"),
    ("state.list[2].n = 1", "'integer index'); the list has no element 2"),
    ("state.lits[2].n = 1", "(field 'lits')\n"),
    (
      "local function store() end store:send('x')",
      "(local 'store'); it is the function that sends: store(\"…\")"
    ),
    ("state.count = state.list[0].n", "'integer index'); the indices of a list begin at 1"),
    ("for x in state.list do end", "write 'for index, x in ipairs(list) do', or 'for key, x in"),
    (
      "state.sheet = effect.none",
      "an effect cannot be stored in state; return it from the handler"
    ),
    (
      "return effect.send('a', { f = print })",
      "payload.f: a function cannot be stored in state; c"
    ),
    ("os.exit(1)", "rogue.lua:10: os.exit is not available to scripts; only the host can end"),
    ("local t = {} t.exit()", "rogue.lua:10: attempt to call a nil value (field 'exit')"),
    (
      "state.sheet = scripted.feature {}",
      "state.sheet: a feature cannot be stored in state; store a state of it, as Feature.initial()"
    ),
  ])
  func whatAHandlerMayNotDoRaisesAndLeavesNoTrace(body: String, message: String) throws {
    try scripts.write(
      """
      local scripted = require "scripted"
      local effect = scripted.effect
      return scripted.feature {
        name = "Rogue",
        state = { count = 0, list = { {} } },
        on = {
          increment = function(state) state.count = state.count + 1 end,
          go = function(state)
            state.count = 1000
            \(body)
          end,
        },
      }
      """, to: "rogue.lua")
    let outcome = try RunnerProcess.run(
      // The stack may take longer to overflow than an action may, where the machine is busy.
      ["run", "rogue", "--root", scripts.path, "--print-state", "--max-time", "60"],
      input: "\"go\"\n\"increment\"\n")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains(message))
    #expect(outcome.errors.hasSuffix("in action 1 of Rogue: {\"type\":\"go\"}\n"))
    #expect(outcome.lines.first?.contains(#""patch":[],"warnings":[],"error":""#) == true)
    #expect(outcome.lines.last == #"{"state":{"count":1,"list":[[]]}}"#)
  }

  @Test func stateIs128TablesDeepNotOneMore() throws {
    try scripts.write(
      """
      local scripted = require "scripted"
      return scripted.feature {
        name = "Deep",
        on = {
          dig = function(state, action)
            local t = {}
            for _ = 1, action.depth - 2 do t = { t } end
            state.deep = t
          end,
        },
      }
      """, to: "deep.lua")
    let outcome = try RunnerProcess.run(
      ["run", "deep", "--root", scripts.path],
      input: #"{"type":"dig","depth":129}"# + "\n" + #"{"type":"dig","depth":128}"# + "\n")
    #expect(outcome.lines.first?.contains("deeper than 128") == true)
    #expect(outcome.lines.last?.contains("error") == false)
    #expect(outcome.lines.last?.contains(String(repeating: "[", count: 127)) == true)
  }

  @Test func twoElementsWithOneIdAreToldOfAtTheStartAndWhenAnActionAddressesThem() throws {
    try scripts.write(
      """
      local scripted = require "scripted"
      local Row = scripted.feature {
        name = "Row", state = { id = 0, n = 0 }, on = { bump = function(row) row.n = row.n + 1 end },
      }
      local Rows = scripted.feature { name = "Rows", state = { rows = {} } }
      return Rows:forEach("rows", Row)
      """, to: "rows.lua")
    let outcome = try RunnerProcess.run(
      [
        "run", "rows", "--root", scripts.path, "--print-state", "--state",
        #"{"rows":[{"id":1,"n":0},{"id":2,"n":0},{"id":1,"n":0}]}"#,
      ], input: "\"rows[2].bump\"\n\"rows[1].bump\"\n")
    #expect(outcome.status == 0)
    let told = "two elements of state.rows have the id 1, at the indices 1 and 3"
    #expect(outcome.errors.contains("warning[duplicateID]: ") && outcome.errors.contains(told))
    #expect(outcome.errors.split(separator: "\n").count == 1)
    #expect(outcome.lines.first?.contains(#""warnings":[]"#) == true)
    #expect(outcome.lines.dropFirst().first?.contains(told) == true)
    #expect(
      outcome.lines.last
        == #"{"state":{"rows":[{"id":1,"n":1},{"id":2,"n":1},{"id":1,"n":0}]}}"#)
  }

  @Test func aScriptThatIsNotThereIsNamed() throws {
    let outcome = try RunnerProcess.run(["run", "absent", "--root", scripts.path])
    #expect(outcome.status == 66)
    #expect(outcome.errors.contains("absent"))
  }

  @Test func aFileOfActionsThatIsNotThereIsNamed() throws {
    let outcome = try run("", "--actions", "absent.jsonl")
    #expect(outcome.status == 66)
    #expect(outcome.errors.contains("--actions: absent.jsonl: No such file"))
  }

  @Test(arguments: ["run", "dev"])
  func aLineThatIsNoUTF8IsRefused(command: String) throws {
    let outcome = try RunnerProcess.shell(
      #"printf 'increment\nlabel { text = "a\377b" }\n' | "$RUNNER" \#(command) counter --root ."#,
      in: scripts.folder)
    #expect(outcome.status == (command == "run" ? 65 : 1))
    #expect((outcome.output + outcome.errors).contains("2: invalid UTF-8"))
    #expect(!outcome.output.contains("\u{FFFD}"))
  }

  @Test(arguments: [
    ["run"], ["run", "counter", "--format", "xml"], ["run", "counter", "--state", "{"],
    ["run", "counter", "--state", String(repeating: "[", count: 129)], ["walk"],
    ["run", "counter", "--state", "3"], ["run", "counter", "--no-such-option"],
    ["run", "counter", "--max-time", "nan"], ["run", "counter", "--max-memory", "8589934592G"],
  ])
  func wrongUsageIsExplained(arguments: [String]) throws {
    let outcome = try RunnerProcess.run(arguments)
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("Usage:"))
    #expect(outcome.output == "")
  }

  @Test func aStateThatIsTooDeepIsRefusedWithTheLimit() throws {
    let deep = String(repeating: "[", count: 128) + String(repeating: "]", count: 128)
    let outcome = try run("", "--state", #"{"a":\#(deep)}"#)
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("128"))
  }

  @Test func aReaderThatHasSeenEnoughEndsTheRunWithoutAWord() throws {
    let outcome = try RunnerProcess.shell(
      """
      { yes '"increment"' 2> /dev/null | { $RUNNER run counter --root \(scripts.path); echo "status $?" >&2; }; } \
      | head -n 1
      """)
    #expect(outcome.lines.count == 1)
    #expect(outcome.errors == "status 0\n")
  }

  @Test func standardOutputThatWasClosedFromTheStartIsToldOf() throws {
    let outcome = try RunnerProcess.shell(
      "echo '\"increment\"' | $RUNNER run counter --root \(scripts.path) >&-")
    #expect(outcome.status == 74)
    #expect(outcome.errors.contains("standard output"))
  }
}
