import Testing

/// Scripts, and what `runner check` says of them.
struct CheckCase: CustomTestStringConvertible {
  let testDescription: String
  let files: [String: String]
  /// Without the summary; `scripts/` in front is left out.
  let findings: [String]

  init(_ description: String, _ files: [String: String], _ findings: [String]) {
    testDescription = description
    self.files = files
    self.findings = findings
  }

  /// A script `app.lua` that returns a feature with these fields; its `on` begins at line 3.
  init(
    _ description: String, feature fields: String, above: String = "", below: String = "",
    beside files: [String: String] = [:], _ findings: [String]
  ) {
    var files = files
    files["app.lua"] = """
      local scripted = require "scripted"
      local effect = scripted.effect
      \(above)
      return scripted.feature { name = "App",
      \(fields)
      }\(below)
      """
    // What a test names is sent.
    files["words_test.lua"] = """
      it("names actions", function() return { "tapped", "go", "listed", "group" } end)
      """
    self.init(description, files, findings)
  }

  /// A script `app.lua` that returns a feature whose view has these lines, from line 5 on, and then these
  /// fields.
  init(
    _ description: String, view: String, fields: String = "", above: String = "",
    below: String = "", beside files: [String: String] = [:], _ findings: [String]
  ) {
    var files = files
    files["app.lua"] = """
      local scripted, ui = require "scripted", require "scripted.ui"
      local effect = scripted.effect
      \(above)
      return scripted.feature { name = "App", view = function(state, env)
      \(view)
      end,
      \(fields)
      }\(below)
      """
    self.init(description, files, findings)
  }

  func run(_ options: String...) throws -> RunnerProcess.Outcome {
    let project = try TestProject(files, hasFeature: false)
    return try RunnerProcess.run(
      ["check"] + options, environment: project.environment(), in: project.folder.folder)
  }

  /// What is found, as `app.lua:5:3: error: …`.
  func found(_ options: String...) throws -> [String] {
    let project = try TestProject(files, hasFeature: false)
    let outcome = try RunnerProcess.run(
      ["check"] + options, environment: project.environment(), in: project.folder.folder)
    #expect(outcome.errors == "")
    return outcome.lines.dropLast().map { line in
      line.hasPrefix("scripts/") ? String(line.dropFirst("scripts/".count)) : line
    }
  }
}
