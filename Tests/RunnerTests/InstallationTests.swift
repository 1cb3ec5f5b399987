import Foundation
import Testing

@Suite("Version and installation")
struct InstallationTests {
  @Test("The version is one line, and tells which Lua it runs")
  func version() throws {
    let outcome = try RunnerProcess.run(["--version"])
    #expect(outcome.status == 0 && outcome.errors == "")
    #expect(
      outcome.output.wholeMatch(of: /runner \d+\.\d+\.\d+(-[a-z0-9.]+)? \(Lua 5\.4\)\n/) != nil)
  }

  /// With a runner that is built already: what builds and what installs packages does nothing.
  @Test("make install puts the runner and its completions below the prefix")
  func install() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.copyItem(
      at: RunnerProcess.repository.appending(path: "Makefile"), to: folder.url("Makefile"))
    try folder.makeFolder(".ci")
    try folder.write("#!/bin/sh\n", to: ".ci/install")
    try folder.makeFolder(".build/release")
    try FileManager.default.createSymbolicLink(
      at: folder.url(".build/release/runner"), withDestinationURL: RunnerProcess.executable)
    let made = try RunnerProcess.shell(
      "chmod +x .ci/install && make install SWIFT=true DESTDIR=\(folder.path)/stage PREFIX=/usr",
      in: folder.folder)
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
  }
}
