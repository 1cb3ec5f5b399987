import ArgumentParser
import LuaBridge
import ScriptValue
import ScriptedStore
import ScriptedStoreFiles

package enum ClockChoice: String, ExpressibleByArgument, CaseIterable {
  case real
  case virtual
}

enum UUIDChoice: String, ExpressibleByArgument, CaseIterable {
  case random
  case incrementing
}

/// The options for the dependencies that features find in `deps`.
package struct DependencyOptions: ParsableArguments {
  @Option(
    help: """
      real; or virtual: time passes only by lines {"wait": seconds}, in `runner dev` only by :wait \
      SECONDS, and at once, so that every run prints the same bytes. date.now() is the start of \
      2001 then, plus the time that has passed.
      """)
  package var clock = ClockChoice.real

  @Option(
    help: ArgumentHelp(
      "Makes random give the same numbers each time. (default: 0 on the virtual clock)",
      valueName: "number"))
  var seed: UInt64?

  @Option(
    help: """
      random, or incrementing: 00000000-0000-0000-0000-000000000000 and so on. (default: random; on \
      the virtual clock incrementing)
      """)
  var uuid: UUIDChoice?

  @Option(
    help: ArgumentHelp(
      """
      The folder of the values that scripts store with scripted.shared.fileStorage, appStorage and \
      database. It is made if it is not there. (default: the values end with the process)
      """, valueName: "folder"))
  var shared: String?

  @Option(
    name: .customLong("dependency"),
    help: ArgumentHelp(
      """
      Replaces a dependency, or a member of it, by a value, or by what a script returns, which gets \
      deps as `...`. Stands in for one that only your host registers. May be repeated.
      """, valueName: "name[.member]=json|@script"),
    transform: { (argument) throws in try DependencyReplacement(argument) })
  package var replacements: [DependencyReplacement] = []

  @Option(
    name: .customLong("allow-host"),
    help: ArgumentHelp(
      """
      A host that http may reach: example.com, *.example.com, localhost:8080. May be repeated. \
      (default: none)
      """, valueName: "host"))
  var allowedHosts: [String] = []

  @Option(
    help: ArgumentHelp(
      "The folder that files may use, and in which ui.file keeps people's files. (default: none)",
      valueName: "folder"))
  var files: String?

  package init() {}

  package func validate() throws {
    do {
      _ = try http
    } catch {
      throw ValidationError("--allow-host: \(error)")
    }
    _ = try DependencyReplacement.merge(replacements)
  }

  /// Nil if time passes in real time.
  package var virtualClock: VirtualClock? { clock == .virtual ? VirtualClock() : nil }

  /// The dependencies that the runner offers. With a virtual clock, `date` reads that clock, and
  /// `random` and `uuid` are deterministic unless an option says otherwise.
  package func registered(on clock: VirtualClock?) throws -> Dependencies {
    var dependencies = Dependencies()
    dependencies.register("log", live: .standardErrorLog)
    dependencies.register("http", live: try http)
    dependencies.register("files", live: try folder)
    if let clock {
      dependencies.register(
        "date", live: .client(["now": .function { Self.start + clock.now / .seconds(1) }]))
    }
    if let seed = seed ?? (clock == nil ? nil : 0) {
      dependencies.register("random", live: .random(seed: seed))
    }
    if uuid ?? (clock == nil ? .random : .incrementing) == .incrementing {
      dependencies.register("uuid", live: .incrementingUUID())
    }
    dependencies.allowStandIns(try replaced())
    return dependencies
  }

  /// The dependencies that the runner offers without an option.
  package static func usual() throws -> Dependencies { try parse([]).registered(on: nil) }

  /// The overrides of the command line, by the dependency's name.
  package func replaced() throws -> [String: Dependency] {
    try DependencyReplacement.merge(replacements)
  }

  /// 2001-01-01, 00:00 UTC, in seconds since 1970.
  private static let start = 978_307_200.0

  private var http: Dependency {
    get throws {
      if let http = RunnerParts.ofProgram.http {
        return try http(allowedHosts) { "--allow-host \($0) allows it" }
      }
      let error = ScriptError(
        "this runner was built without its HTTP client, as `make run` does; `make build` builds it "
          + "with the client")
      guard allowedHosts.isEmpty else { throw error }
      return .http(raising: error)
    }
  }

  /// The folder of `--files`, in which people's files are kept as well; nil for none.
  package var fileFolder: FileFolder? {
    get throws { try files.map { try FileFolder($0) } }
  }

  private var folder: Dependency {
    get throws {
      if let folder = try fileFolder { return .files(in: folder) }
      return .files(raising: ScriptError("files has no folder; --files <folder> gives it one"))
    }
  }
}

extension Dependencies {
  /// Lets what `--dependency` gives stand in for dependencies that only the host of an app registers.
  package mutating func allowStandIns(_ replaced: [String: Dependency]) {
    standIns = Set(replaced.keys)
    standInRemedy = { "give it a stub: --dependency \($0)=@stub.lua" }
  }
}

/// One argument of `--dependency`: the path of a dependency or a member, and the dependency that
/// replaces it. It stands in for a dependency that neither the runner nor a script offers.
package struct DependencyReplacement {
  package let path: [String]
  package let dependency: Dependency

  package init(_ argument: String) throws {
    guard let equals = argument.firstIndex(of: "=") else {
      throw ValidationError(
        "give name.member=@script.lua, or JSON behind the =")
    }
    let name = argument[..<equals]
    path = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard !path.contains("") else {
      throw ValidationError("'\(name)' is neither a name nor the path of a member")
    }
    let replacement = argument[argument.index(after: equals)...]
    if replacement.hasPrefix("@") {
      dependency = .script(file: String(replacement.dropFirst()))
      return
    }
    do {
      dependency = .value(try Value(json: String(replacement)))
    } catch {
      throw ValidationError(
        "what stands behind the = is neither @ and the path of a script nor JSON: "
          + "\(error.message) at column \(error.column)")
    }
  }

  /// Merges the replacements into one override for each dependency. Throws if one path is a prefix
  /// of another one.
  package static func merge(_ replacements: [DependencyReplacement]) throws -> [String: Dependency]
  {
    var merged: [String: Dependency] = [:]
    for (index, replacement) in replacements.enumerated() {
      let path = replacement.path
      for other in replacements[..<index]
      where path.starts(with: other.path) || other.path.starts(with: path) {
        throw ValidationError(
          "--dependency: \(path.joined(separator: ".")) and \(other.path.joined(separator: ".")) cannot both be "
            + "replaced")
      }
      merged[path[0]] = replacement.dependency.nested(path.dropFirst(), in: merged[path[0]])
    }
    return merged
  }
}

extension Dependency {
  /// Returns `client`, with this dependency as the member at `path`. Other members are unchanged.
  fileprivate func nested(_ path: ArraySlice<String>, in client: Dependency?) -> Dependency {
    guard let member = path.first else { return self }
    var client = client ?? .client([:])
    client[member] = nested(path.dropFirst(), in: client[member])
    return client
  }
}

extension Dependency {
  /// `log` as lines on standard error, without the time and the source location that swift-log
  /// adds.
  static var standardErrorLog: Dependency {
    func level(_ name: String) -> Dependency {
      .function("message", "fields") { (message: Value, fields: Value?) in
        let text = message.string ?? "\(message)"
        StandardStreams.error("\(name): \(text)\(fields.map { " \($0)" } ?? "")")
      }
    }
    return .client([
      "debug": level("debug"), "info": level("info"), "warning": level("warning"),
      "error": level("error"),
    ])
  }
}
