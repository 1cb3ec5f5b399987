import ArgumentParser
import LuaBridge
import Platform
import ScriptedStore
import ScriptedStoreFiles
import Synchronization

/// The parts of a runner that take a minute each to build, which a program may leave out: `runner-core` has none of them.
package struct RunnerParts: Sendable {
  /// Makes the dependency `http`, which may reach these hosts; `remedy` tells scripts how another host gets allowed.
  package typealias HTTP =
    @Sendable (
      _ hosts: [String], _ remedy: @escaping @Sendable (_ host: String) -> String
    ) throws -> Dependency
  /// Opens the databases of shared values in a folder.
  package typealias Database = @Sendable (_ folder: String) throws -> any SharedDatabase
  /// Makes the server of `runner serve`; `store` makes the store of a session, which is nil for the store that all share. Throws if
  /// `texts` has a name of no text.
  package typealias MakePageServer =
    @Sendable (
      _ configuration: PageServerConfiguration,
      _ store: @escaping @Sendable (_ session: String?) throws -> Store
    ) throws(ScriptError) -> any PageServer

  /// Journals of durable stores in files.
  package struct Journals: Sendable {
    /// The journal in a file, for its owner. Nothing is opened yet.
    package let journal: @Sendable (_ file: String) -> Journal
    package let openReader: @Sendable (_ file: String) throws(JournalError) -> any JournalReading

    package init(
      journal: @escaping @Sendable (_ file: String) -> Journal,
      openReader: @escaping @Sendable (_ file: String) throws(JournalError) -> any JournalReading
    ) {
      (self.journal, self.openReader) = (journal, openReader)
    }

    /// Those of this program, for the option `--journal`. Prints an error and throws the exit status if it has none.
    package static func ofOption() throws(ExitCode) -> Journals {
      guard let journals = RunnerParts.ofProgram.journals else {
        throw fail(
          .noInput, "--journal: this runner was built without journals (the trait Journal)")
      }
      return journals
    }

    /// Opens the journal in a file to read it. Prints an error and throws the exit status if that fails.
    ///
    /// - Parameter isVerifying: whether all of it is to be looked at.
    package func reader(
      of file: String, isVerifying: Bool = false
    ) throws(ExitCode) -> any JournalReading {
      guard access(file, F_OK) == 0 else {
        throw fail(.noInput, "there is no file \(file); name the file of a journal")
      }
      return try exitingOnJournalError(isVerifying: isVerifying) { () throws(JournalError) in
        try openReader(file)
      }
    }
  }

  package var http: HTTP?
  package var database: Database?
  package var journals: Journals?
  package var pageServer: MakePageServer?

  package init() {}

  /// The parts of this program. ArgumentParser makes the commands, so they cannot be passed to them.
  package static var ofProgram: RunnerParts {
    get { ofThisProgram.withLock { $0 } }
    set { ofThisProgram.withLock { $0 = newValue } }
  }

  private static let ofThisProgram = Mutex(RunnerParts())
}

/// What the options of `runner serve` say about its server.
package struct PageServerConfiguration: Sendable {
  package var address: String
  package var port: Int
  package var names: [String] = []
  package var storesPerSession = false
  package var isProduction = false
  package var token: String?
  package var css: (@Sendable () -> String?)?
  package var assets: String?
  package var files: (any FileExchange)?
  /// Texts of the page in place of the usual ones, by name.
  package var texts: [String: String] = [:]
  package var testSource: @Sendable (Recording) throws -> String

  package init(
    address: String, port: Int, testSource: @escaping @Sendable (Recording) throws -> String
  ) {
    (self.address, self.port, self.testSource) = (address, port, testSource)
  }
}

/// A server that shows stores in browsers.
package protocol PageServer: Sendable {
  /// Begins to listen, and returns the address to open. Throws a ``PageServerError`` if it cannot.
  func start() async throws -> String
  func stop() async
  func report(_ warning: RuntimeWarning)
  func report(_ error: ScriptError, _ action: Action)
  func report(_ result: Result<ReloadReport, ReloadError>)
}

/// Why a server does not run.
package protocol PageServerError: Error {
  /// Whether another program listens at the port.
  var isPortTaken: Bool { get }
}
