import Foundation
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

/// The JUnit report of runner test.
struct JUnitTests {
  /// `junit-10.xsd` of Jenkins' xUnit plug-in: which attributes an element must and may have, and which
  /// elements can be in it.
  static let schema:
    [String: (required: Set<String>, optional: Set<String>, children: Set<String>)] = [
      "testsuites": ([], ["name", "time", "tests", "failures", "errors"], ["testsuite"]),
      "testsuite": (
        ["name", "tests", "failures", "errors"],
        [
          "group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log",
          "url",
          "version",
        ], ["testsuite", "properties", "testcase", "system-out", "system-err"]
      ),
      "testcase": (
        ["name"], ["time", "classname", "group"],
        [
          "skipped", "error", "failure", "rerunFailure", "rerunError", "flakyFailure", "flakyError",
          "system-out", "system-err",
        ]
      ),
      "failure": ([], ["type", "message"], []), "error": ([], ["type", "message"], []),
      "skipped": ([], ["type", "message"], []),
      "flakyFailure": (["type"], ["message"], ["stackTrace", "system-out", "system-err"]),
      "system-out": ([], [], []), "system-err": ([], [], []),
    ]

  /// An element, as a parser sees it.
  final class Element {
    let name: String
    let attributes: [String: String]
    var children: [Element] = []
    var text = ""

    init(_ name: String, _ attributes: [String: String]) {
      self.name = name
      self.attributes = attributes
    }

    /// With all that are in it.
    var all: [Element] { [self] + children.flatMap(\.all) }
  }

  final class Reader: NSObject, XMLParserDelegate {
    private var open: [Element] = []
    var root: Element?

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
      qualifiedName: String?, attributes: [String: String]
    ) {
      let element = Element(name, attributes)
      open.last?.children.append(element)
      if root == nil { root = element }
      open.append(element)
    }

    func parser(
      _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
    ) {
      open.removeLast()
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) { open.last?.text += text }
  }

  func report(_ project: TestProject, _ options: String...) throws -> Element {
    _ = try RunnerProcess.run(
      ["test", "--reporter", "junit=report.xml"] + options, environment: project.environment(),
      in: project.folder.folder)
    let reader = Reader()
    let parser = XMLParser(data: Data(try project.folder.text("report.xml").utf8))
    parser.delegate = reader
    try #require(parser.parse(), "\(String(describing: parser.parserError))")
    return try #require(reader.root)
  }

  @Test func itHasTheElementsAndAttributesOfJenkinsSchemaWhateverHappens() throws {
    let project = try TestProject.mixed()
    try project.write("describe(", to: "broken_test.lua")
    try project.write("", to: "empty_test.lua")
    try project.write(
      #"""
      local attempts = 0
      it("is \0 <b> & \"so\"\n\r\1", function() print("]]> \27[1m") error("<&>\n\2") end)
      it("is flaky", function() attempts = attempts + 1 assert.is_true(attempts > 1) end)
      describe("Block", function()
        teardown(function() error("no") end)
        it("c", function() end)
        pending("later", function() end)
      end)
      """#, to: "odd_test.lua")
    let root = try report(project, "--retries", "1", "--repeat", "2")
    #expect(root.name == "testsuites")
    let time = /[0-9]*(\.[0-9]{0,3})?/
    for element in root.all {
      let rule = try #require(Self.schema[element.name], "\(element.name)")
      let attributes = Set(element.attributes.keys)
      #expect(rule.required.isSubset(of: attributes), "\(element.name)")
      #expect(attributes.isSubset(of: rule.required.union(rule.optional)), "\(element.name)")
      #expect(Set(element.children.map(\.name)).isSubset(of: rule.children), "\(element.name)")
      if let value = element.attributes["time"] { #expect(value.wholeMatch(of: time) != nil) }
    }
    for suite in root.children {
      let cases = suite.children.filter { $0.name == "testcase" }
      func count(_ name: String) -> String {
        "\(cases.count { $0.children.contains { $0.name == name } })"
      }
      #expect(suite.attributes["tests"] == "\(cases.count)")
      #expect(suite.attributes["failures"] == count("failure"))
      #expect(suite.attributes["errors"] == count("error"))
      #expect(suite.attributes["skipped"] == count("skipped"))
    }
    for name in ["tests", "failures", "errors"] {
      let sum = root.children.compactMap { Int($0.attributes[name] ?? "") }.reduce(0, +)
      #expect(root.attributes[name] == "\(sum)")
    }
    #expect(root.all.contains { $0.name == "flakyFailure" })
  }

  @Test func aFailureHasItsMessageItsPlaceAndItsKind() throws {
    let root = try report(.mixed())
    let suite = try #require(root.children.first)
    #expect(suite.attributes["name"] == "scripts/deep/words_spec.lua")
    #expect(suite.attributes["file"] == "scripts/deep/words_spec.lua")
    let test = try #require(
      suite.children.first { $0.attributes["name"] == "Words in a row raise" })
    #expect(test.attributes["classname"] == "deep.words_spec")
    let error = try #require(test.children.first)
    #expect(error.name == "error")
    #expect(error.attributes["message"] == "out of words")
    #expect(error.text.hasPrefix("scripts/words.lua:8: out of words\nstack traceback:"))
    #expect(root.all.count { $0.name == "failure" } == 1)
  }
}
