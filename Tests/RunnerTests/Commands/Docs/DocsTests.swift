import Foundation
import Testing

@testable import RunnerCommands

/// runner docs.
struct DocsTests {
  /// In a folder without the documentation: the pages are in the program.
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  func run(_ arguments: String...) throws -> RunnerProcess.Outcome {
    try RunnerProcess.run(["docs"] + arguments, in: folder.folder)
  }

  @Test func withoutATopicItListsThePagesWithTheirTitles() throws {
    let outcome = try run()
    #expect(outcome.status == 0 && outcome.errors == "")
    #expect(outcome.lines.first == "The guide")
    #expect(outcome.output.contains("\n  getting-started    Getting started\n"))
    #expect(outcome.output.contains("\n  script-api         "))
  }

  @Test func itHasEachPageOfTheGuideAsTheFileIs() throws {
    let guide = RunnerProcess.repository.appending(path: "docs/guide")
    let names = try FileManager.default.contentsOfDirectory(atPath: guide.path)
      .filter { $0.hasSuffix(".md") }
    #expect(names.count > 15)
    for name in names {
      let topic = name == "README.md" ? "guide" : String(name.dropLast(3))
      let text = try String(contentsOf: guide.appending(path: name), encoding: .utf8)
      #expect(DocumentationPage.named(topic)?.text == text, "\(name)")
    }
    #expect(DocumentationPage.all.allSatisfy { !$0.text.isEmpty })
  }

  @Test func timeTravelIsFoundByTheWordsOfThoseWhoLookForIt() throws {
    for words in ["time travel", "Redux DevTools"] {
      let outcome = try run("--search", words)
      #expect(outcome.status == 0 && outcome.output.contains("debugging"), "\(outcome.output)")
    }
  }

  @Test func aPageIsShownWithoutMarkdownsSignsInLinesOfATerminalsWidth() throws {
    let outcome = try run("getting-started")
    #expect(outcome.status == 0 && outcome.errors == "")
    #expect(outcome.output.hasPrefix("Getting started\n═══════════════\n\n"))
    #expect(!outcome.output.contains("```") && !outcome.output.contains("]("))
    #expect(outcome.output.contains("\n    $ runner "))
    // Only code is longer.
    #expect(outcome.lines.allSatisfy { $0.count <= 80 || $0.hasPrefix("    ") })
    #expect(!outcome.output.contains("\u{1B}"))
  }

  @Test func onATerminalAPageGoesThroughPAGER() throws {
    let terminal = try Terminal()
    let process = try RunnerProcess.spawn(
      [RunnerProcess.executable.path, "docs", "glossary"], streams: terminal.streams,
      environment: ["PAGER": "sed 's/^/paged /' | head -1; echo done"], in: folder.folder)
    let text = terminal.read(until: "done")
    #expect(text.contains("paged ") && text.contains("Glossary"))
    #expect(RunnerProcess.wait(for: process).status == 0)
  }

  @Test func anInterruptDoesNotEndTheRunnerBeforeItsPager() throws {
    let terminal = try Terminal()
    let process = try RunnerProcess.spawn(
      [RunnerProcess.executable.path, "docs", "glossary"], streams: terminal.streams,
      environment: ["PAGER": "head -n 1; kill -INT $PPID; echo done"], in: folder.folder)
    #expect(terminal.read(until: "done").contains("Glossary"))
    #expect(RunnerProcess.wait(for: process).status == 0)
  }

  @Test func whereThereIsNoSuchPagerAPageIsPrinted() throws {
    let terminal = try Terminal()
    let process = try RunnerProcess.spawn(
      [RunnerProcess.executable.path, "explain", "locked"], streams: terminal.streams,
      environment: ["PAGER": "no-such-pager 2>&-"], in: folder.folder)
    #expect(terminal.read(until: "send later").contains("locked"))
    _ = RunnerProcess.wait(for: process)
  }

  @Test func aMisspeltTopicIsRefusedWithTheNearestOne() throws {
    let outcome = try run("gettingstarted")
    #expect(outcome.status == 64 && outcome.output == "")
    #expect(
      outcome.errors
        == "error: there is no page 'gettingstarted'; did you mean 'getting-started'?\n")
    #expect(try run("zzzzzzzzz").errors.contains("; there are guide, getting-started, "))
    #expect(!outcome.errors.contains("--search"))
  }

  @Test func whatIsLikeNoPageIsLookedForByASearch() throws {
    for words in [["tabs"], ["deep", "link"]] {
      let outcome = try RunnerProcess.run(["docs"] + words, in: folder.folder)
      #expect(outcome.status == 64 && outcome.output == "")
      let text = words.joined(separator: " ")
      #expect(outcome.errors.contains("; runner docs --search '\(text)' finds the lines"))
    }
    #expect(try run("from", "tca").output.hasPrefix("From TCA\n"))
  }

  @Test func aPartOfANameIsEnoughWhereOnePageHasItElseThePagesThatHaveItAreNamed() throws {
    let outcome = try run("tca")
    #expect(outcome.status == 0)
    #expect(outcome.output.hasPrefix("From TCA\n"))
    let several = try run("from")
    #expect(several.status == 64)
    #expect(several.errors == "error: there is no page 'from'; there are from-redux, from-tca\n")
  }

  @Test func aPageThatIsNotInTheProgramIsToldWithItsReadersAndItsPlace() throws {
    let outcome = try run("swift-api")
    #expect(outcome.status == 64 && outcome.output == "")
    #expect(
      outcome.errors == """
        error: the page 'swift-api' is for programs in Swift and not in this program; it is \
        docs/swift-api.md of the project

        """)
  }

  @Test func eachPageThatAPageLinksToIsInTheProgramOrIsToldWithItsPlace() {
    for page in DocumentationPage.all {
      for link in page.text.matches(of: /\]\((?:\.\.\/)*(?:guide\/)?([a-z-]+)\.md/) {
        let topic = String(link.1)
        let isKnown =
          DocumentationPage.named(topic) != nil || DocumentationPage.notEmbedded[topic] != nil
        #expect(isKnown, "\(page.topic) links to \(topic)")
      }
    }
  }

  @Test func searchListsTheLinesThatHaveAWordBelowTheirHeadings() throws {
    let outcome = try run("--search", "SENDAFTEREND")
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("warnings: sendAfterEnd\n    ### sendAfterEnd\n"))
    #expect(try run("glossary", "--search", "sendAfterEnd").status == 1)
    let nothing = try run("--search", "no page says that")
    #expect(nothing.status == 1 && nothing.errors == "error: no page has 'no page says that'\n")
    #expect(try run("--search", " ").status == 64)
  }
}
