import Foundation
import ScriptedStore
import Testing

/// Specs for busted give the outcomes here that they give with busted.
@Suite struct BustedAgreementTests {
  static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
    .appendingPathComponent("Fixtures/busted")

  static let specs: [String] = {
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
    return (names ?? []).filter { $0.hasSuffix("_spec.lua") }.sorted()
  }()

  /// Where `busted` is, if it is installed.
  static let busted: URL? = {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    return folders.map { URL(fileURLWithPath: "\($0)/busted") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }()

  @Test func thereAreSpecs() {
    #expect(Self.specs.count >= 10)
  }

  @Test(.enabled(if: busted != nil), arguments: specs)
  func aSpecGivesTheSameOutcomes(spec: String) throws {
    let theirs = try BustedReport(of: spec, in: Self.folder, running: #require(Self.busted))
    var ours: [String: [String]] = [:]
    let file = try ScriptTestFile(
      Self.folder.appendingPathComponent(spec).path, root: Self.folder.path)
    file.run { event in
      if case .ended(let result) = event {
        ours[result.test.name, default: []].append(Self.status(of: result.outcome))
      }
      return true
    }

    #expect(!theirs.outcomes.isEmpty)
    for (name, outcomes) in theirs.outcomes {
      #expect(ours[name] == outcomes, "\(name)")
    }
    // busted does not mention tests that could not begin; here they have failed.
    for (name, outcomes) in ours where theirs.outcomes[name] == nil {
      #expect(theirs.blocksThatRaised.contains { name.hasPrefix($0) }, "\(name)")
      #expect(outcomes.allSatisfy { $0 == "error" || $0 == "failure" }, "\(name)")
    }
  }

  /// As busted names it.
  private static func status(of outcome: ScriptTestOutcome) -> String {
    switch outcome {
    case .passed: "success"
    case .skipped: "pending"
    case .failed(let failures): failures.first?.kind == .failure ? "failure" : "error"
    }
  }
}

/// What busted says about a spec.
private struct BustedReport {
  /// The statuses of the tests of a name, in order.
  var outcomes: [String: [String]] = [:]
  /// The full names of blocks of which a hook raised.
  var blocksThatRaised: [String] = []

  init(of spec: String, in folder: URL, running busted: URL) throws {
    let handler = folder.appendingPathComponent("outcomes.lua").path
    let command = try #require(
      popen(
        "cd '\(folder.path)' && '\(busted.path)' -o '\(handler)' '\(spec)' </dev/null 2>/dev/null",
        "r"))
    // Not Foundation's Process, of which each leaks some bytes.
    let output = FileHandle(fileDescriptor: fileno(command), closeOnDealloc: false)
    let data = output.readDataToEndOfFile()
    pclose(command)
    for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
      guard let tab = line.firstIndex(of: "\t") else { continue }
      let status = String(line[..<tab])
      let name = String(line[line.index(after: tab)...])
      if status == "hook" {
        // The name ends with that of the hook.
        let block = name.lastIndex(of: " ").map { name[..<$0] } ?? ""
        blocksThatRaised.append(String(block))
      } else {
        outcomes[name, default: []].append(status)
      }
    }
  }
}
