import Foundation
import Testing

/// Version and installation.
struct InstallationTests {
  @Test func theVersionIsOneLineAndTellsWhichLuaItRuns() throws {
    let outcome = try RunnerProcess.run(["--version"])
    #expect(outcome.status == 0 && outcome.errors == "")
    #expect(
      outcome.output.wholeMatch(
        of: /runner \d+\.\d+\.\d+(-[a-z0-9.]+)? \(([0-9a-f]{8,}(-dirty)?, )?Lua 5\.4\)\n/)
        != nil)
  }

  /// With a runner that is built already: what builds and what installs packages does nothing.
  @Test func makeInstallPutsTheRunnerStrippedWithItsCompletionsTypesAndLicencesBelowThePrefix()
    throws
  {
    let folder = try TemporaryFolder()
    try FileManager.default.copyItem(
      at: RunnerProcess.repository.appending(path: "Makefile"), to: folder.url("Makefile"))
    try folder.makeFolder(".build/release")
    try FileManager.default.createSymbolicLink(
      at: folder.url(".build/release/runner"), withDestinationURL: RunnerProcess.executable)
    // The folder of this build, which has the packages with their licences: .build, or another with --scratch-path.
    let build = RunnerProcess.executable.resolvingSymlinksInPath().appending(path: "../../..")
    for (path, target) in [
      ("scripts", RunnerProcess.repository.appending(path: "scripts")),
      ("Sources", RunnerProcess.repository.appending(path: "Sources")),
      (".build/checkouts", build.appending(path: "checkouts").standardizedFileURL),
    ] {
      try FileManager.default.createSymbolicLink(
        at: folder.url(path), withDestinationURL: target)
    }
    // The shell writes the scripts: a process that another test forks meanwhile would keep a file of ours open for writing.
    let made = try RunnerProcess.shell(
      """
      mkdir .ci && for script in install archives; do echo '#!/bin/sh' > .ci/$script; done
      cp '\(RunnerProcess.repository.path)/.ci/licences' .ci && chmod +x .ci/*
      make install SWIFT=true DESTDIR=\(folder.path)/stage PREFIX=/usr
      """, in: folder.folder)
    #expect(made.status == 0, "\(made)")
    let installed = try RunnerProcess.shell("stage/usr/bin/runner --version", in: folder.folder)
    #expect(installed.output.hasPrefix("runner "))
    for completions in [
      "bash-completion/completions/runner", "zsh/site-functions/_runner",
      "fish/vendor_completions.d/runner.fish",
    ] {
      let text = try folder.text("stage/usr/share/\(completions)")
      #expect(text.contains("replay") && text.contains("export-test"), "\(completions)")
    }
    #expect(try folder.text("stage/usr/share/runner/types/scripted.lua").contains("---@class"))
    let licences = try folder.text("stage/usr/share/doc/runner/copyright")
    #expect(licences.contains("swift-nio\n\n") && licences.contains("Apache License"))
    let size = { (path: String) in
      try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }
    #expect(
      try size(folder.url("stage/usr/bin/runner").path) < size(RunnerProcess.executable.path),
      "the symbols are still in it")
  }
}

/// The program that `make run` builds.
struct CoreRunnerTests {
  private func core(_ arguments: String) throws -> RunnerProcess.Outcome {
    try RunnerProcess.shell(#""$(dirname "$RUNNER")/runner-core" "# + arguments)
  }

  @Test func theSessionOfMakeRunIsOneThatAPersonReads() throws {
    let session = "todos --actions scripts/examples/first_session.jsonl --clock virtual"
    let run = try core("run \(session) --format text")
    #expect(run.status == 0 && run.errors == "", "\(run)")
    #expect(run.output.contains("+       isComplete = true,"))
    let screen = try core("show \(session) --format text")
    #expect(screen.output.contains("[x] Buy milk"))
  }

  @Test(arguments: [
    ("serve todos", "without its server"),
    ("run todos --allow-host x.org", "without its HTTP client"),
  ])
  func whatItLacksIsRefusedWithTheRemedy(arguments: String, message: String) throws {
    let outcome = try core(arguments + " </dev/null")
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains(message) && outcome.errors.contains("`make build`"))
  }
}
