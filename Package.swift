// swift-tools-version: 6.1
import PackageDescription

// TLS takes most of the time that the runner takes to build, so programs that need no HTTP leave this trait out.
let withHTTP = TargetDependencyCondition.when(traits: ["HTTP"])
// SQLite's library needs all of Foundation, which makes the runner larger.
let withDatabase = TargetDependencyCondition.when(traits: ["Database"])
let withJournal = TargetDependencyCondition.when(traits: ["Journal"])
// SwiftNIO takes a minute to build.
let withServer = TargetDependencyCondition.when(traits: ["Server"])

let package = Package(
  name: "ScriptedStore",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    // With ScriptValue, so that a file that needs only values can import them by that name.
    .library(name: "LuaBridge", targets: ["LuaBridge", "ScriptValue"]),
    .library(name: "ScriptedStore", targets: ["ScriptedStore", "ScriptView"]),
    // For test targets.
    .library(name: "ScriptedStoreTesting", targets: ["ScriptedStoreTesting"]),
    // Products of their own, so that a host that does not want them builds and links nothing of them.
    .library(name: "ScriptedStoreDatabase", targets: ["ScriptedStoreDatabase"]),
    .library(name: "ScriptedStoreHTTP", targets: ["ScriptedStoreHTTP"]),
    .library(name: "ScriptedStoreFiles", targets: ["ScriptedStoreFiles"]),
    .library(name: "ScriptedStoreJournal", targets: ["ScriptedStoreJournal"]),
    .library(name: "ScriptedStoreServer", targets: ["ScriptedStoreServer"]),
    .library(name: "ScriptedStoreTerminal", targets: ["ScriptedStoreTerminal"]),
    .library(name: "ScriptedStoreTracing", targets: ["ScriptedStoreTracing"]),
    .executable(name: "runner", targets: ["runner"]),
    // Makes Swift types of scripts while a target is built (docs/swift-api.md).
    .plugin(name: "ScriptTypes", targets: ["ScriptTypes"]),
  ],
  traits: [
    .default(enabledTraits: ["Database", "HTTP", "Journal", "Server"]),
    .trait(
      name: "Database",
      description: "DatabaseStorage, and keys of databases in the runner's --shared."),
    .trait(name: "HTTP", description: "Dependency.http, and `http` in the runner."),
    .trait(
      name: "Journal", description: "Journals of durable stores in SQLite, and `runner stores`."),
    .trait(name: "Server", description: "ViewServer, and `runner serve`."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.3.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.26.0"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.0.0"),
    .package(url: "https://github.com/pointfreeco/xctest-dynamic-overlay", from: "1.5.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CLuaSystem", path: "Sources/CLua/System", pkgConfig: "lua5.4",
      providers: [.apt(["liblua5.4-dev"]), .brew(["lua"])]),
    .target(
      name: "CLua", dependencies: ["CLuaSystem"], path: "Sources/CLua", exclude: ["System"],
      cSettings: [.headerSearchPath(".")]),
    // The C library.
    .target(name: "Platform"),
    // Files as the functions of a C target, because the resources of SwiftPM (`.embedInCode`) are array literals, which take
    // the compiler 100 to 200 times longer.
    .target(name: "EmbeddedPrelude", path: "Sources/Embedded/EmbeddedPrelude"),
    .target(name: "EmbeddedPage", path: "Sources/Embedded/EmbeddedPage"),
    .target(name: "EmbeddedDocuments", path: "Sources/Embedded/EmbeddedDocuments"),
    // `make build` says which commit it builds. A target of its own, so that another commit compiles one file again.
    .target(
      name: "EmbeddedCommit", path: "Sources/Embedded/EmbeddedCommit",
      cSettings: [
        .define(
          "RUNNER_COMMIT", to: "\"\(Context.environment["SCRIPTED_STORE_COMMIT"] ?? "")\"")
      ]),
    .target(name: "EmptyICU", path: "Sources/Embedded/EmptyICU"),
    // Values without Lua. Users get them with `import ScriptedStore` or `import LuaBridge`.
    .target(
      name: "ScriptValue",
      dependencies: [
        "Platform",
        .product(name: "HashTreeCollections", package: "swift-collections"),
      ]),
    // Views as values: the elements, the tree, its changes and its drawings. Knows no Lua.
    .target(name: "ScriptView", dependencies: ["ScriptValue"]),
    // A screen in use on a terminal: cells, keys, focus. Knows no store, and no terminal.
    .target(name: "ScriptedStoreTerminal", dependencies: ["ScriptValue", "ScriptView"]),
    // The tokens and the expressions of Lua's text, for tools that read scripts without running them.
    .target(name: "LuaSyntax"),
    .target(name: "LuaBridge", dependencies: ["CLua", "Platform", "ScriptValue"]),
    .target(
      name: "ScriptedStore",
      dependencies: [
        "EmbeddedPrelude", "LuaBridge", "Platform", "ScriptValue", "ScriptView",
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "Logging", package: "swift-log"),
      ],
      exclude: ["Scripting/Prelude"]),
    .target(
      name: "ScriptedStoreTesting",
      dependencies: [
        "ScriptView", "ScriptedStore",
        .product(name: "IssueReporting", package: "xctest-dynamic-overlay"),
      ]),
    .target(name: "ScriptedStoreFiles", dependencies: ["Platform", "ScriptedStore"]),
    .target(
      name: "ScriptedStoreDatabase",
      dependencies: [
        "LuaBridge", "ScriptValue", "ScriptedStore", "ScriptedStoreFiles",
        .product(name: "GRDB", package: "GRDB.swift", condition: withDatabase),
      ]),
    .target(
      name: "ScriptedStoreJournal",
      dependencies: [
        "Platform", "ScriptValue", "ScriptedStore",
        .product(name: "DequeModule", package: "swift-collections", condition: withJournal),
        .product(name: "GRDB", package: "GRDB.swift", condition: withJournal),
        .product(name: "GRDBSQLite", package: "GRDB.swift", condition: withJournal),
      ]),
    .target(
      name: "ScriptedStoreHTTP",
      dependencies: [
        "Platform", "ScriptedStore",
        .product(name: "AsyncHTTPClient", package: "async-http-client", condition: withHTTP),
        .product(name: "NIOCore", package: "swift-nio", condition: withHTTP),
        .product(name: "NIOHTTP1", package: "swift-nio", condition: withHTTP),
        .product(name: "NIOHTTPCompression", package: "swift-nio-extras", condition: withHTTP),
        .product(name: "NIOPosix", package: "swift-nio", condition: withHTTP),
      ]),
    // Compression of the page's files.
    .systemLibrary(
      name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .target(
      name: "ScriptedStoreServer",
      dependencies: [
        .target(name: "CZlib", condition: withServer),
        .target(name: "EmbeddedPage", condition: withServer), "Platform", "ScriptValue",
        "ScriptView", "ScriptedStore", "ScriptedStoreFiles",
        .product(name: "NIOCore", package: "swift-nio", condition: withServer),
        .product(name: "NIOHTTP1", package: "swift-nio", condition: withServer),
        .product(name: "NIOPosix", package: "swift-nio", condition: withServer),
        .product(name: "NIOWebSocket", package: "swift-nio", condition: withServer),
      ],
      exclude: ["Page"]),
    .target(
      name: "ScriptedStoreTracing",
      dependencies: [
        "ScriptedStore",
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ]),
    // Swift types for features that are written in Lua.
    .target(
      name: "ScriptTypesGenerator", dependencies: ["LuaSyntax", "ScriptValue", "ScriptedStore"]),
    // What the plug-in runs. Not the runner, because users of the plug-in would build all that the runner
    // depends on, before the first of their own files.
    .executableTarget(
      name: "script-types",
      dependencies: ["Platform", "ScriptTypesGenerator", "ScriptedStore"],
      path: "Sources/ScriptTypesTool"),
    .plugin(name: "ScriptTypes", capability: .buildTool(), dependencies: ["script-types"]),
    // What `runner check` finds: an analysis of the text of scripts, and what loading them says.
    .target(
      name: "ScriptChecks",
      dependencies: ["LuaBridge", "LuaSyntax", "ScriptValue", "ScriptView", "ScriptedStore"]),
    // What the commands of the runner share: options, input, output, files, terminals.
    .target(
      name: "RunnerShared",
      dependencies: [
        "LuaBridge", "Platform", "ScriptChecks", "ScriptValue", "ScriptView", "ScriptedStore",
        "ScriptedStoreFiles", "ScriptedStoreTerminal",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    // `runner dev`.
    .target(
      name: "RunnerConsole",
      dependencies: [
        "LuaBridge", "LuaSyntax", "Platform", "RunnerShared", "ScriptChecks", "ScriptValue",
        "ScriptView", "ScriptedStore", "ScriptedStoreFiles", "ScriptedStoreTerminal",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    // `runner test`.
    .target(
      name: "RunnerTesting",
      dependencies: [
        "LuaBridge", "Platform", "RunnerShared", "ScriptChecks", "ScriptValue", "ScriptedStore",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    // The commands of the runner, for a program that says which parts it is built with.
    .target(
      name: "RunnerCommands",
      dependencies: [
        "EmbeddedCommit", "EmbeddedDocuments", "LuaBridge", "Platform",
        "RunnerConsole", "RunnerShared", "RunnerTesting", "ScriptChecks", "ScriptTypesGenerator",
        "ScriptValue", "ScriptView", "ScriptedStore", "ScriptedStoreFiles",
        "ScriptedStoreTerminal",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .executableTarget(
      name: "runner",
      dependencies: [
        .target(name: "EmptyICU", condition: .when(platforms: [.linux])), "RunnerCommands",
        "RunnerShared", "ScriptedStore", "ScriptedStoreDatabase", "ScriptedStoreFiles",
        "ScriptedStoreHTTP", "ScriptedStoreJournal", "ScriptedStoreServer",
      ]),
    // Builds in a part of the time, because nothing that it is made of needs SwiftNIO, TLS or SQLite.
    .executableTarget(name: "runner-core", dependencies: ["RunnerCommands", "RunnerShared"]),
    .testTarget(name: "ScriptValueTests", dependencies: ["ScriptValue"]),
    .testTarget(name: "ScriptViewTests", dependencies: ["ScriptView"]),
    // What a test of a terminal sees.
    .target(name: "TerminalEmulator", path: "Tests/TerminalEmulator"),
    .testTarget(
      name: "ScriptedStoreTerminalTests",
      dependencies: ["ScriptValue", "ScriptView", "ScriptedStoreTerminal", "TerminalEmulator"]),
    .testTarget(name: "LuaBridgeTests", dependencies: ["LuaBridge", "Platform"]),
    .testTarget(
      name: "ScriptedStoreTests",
      dependencies: ["ScriptedStore", .product(name: "Logging", package: "swift-log")]),
    // Its folder Generated has what `runner swift` makes of the examples.
    .testTarget(
      name: "ScriptTypesTests",
      dependencies: ["ScriptTypesGenerator", "ScriptedStore"]),
    .testTarget(
      name: "ScriptedStoreTestingTests",
      dependencies: [
        "ScriptedStoreTesting",
        .product(name: "IssueReportingTestSupport", package: "xctest-dynamic-overlay"),
      ]),
    .testTarget(
      name: "ScriptedStoreDatabaseTests",
      dependencies: [
        "Platform", "ScriptedStoreDatabase",
        .product(name: "GRDB", package: "GRDB.swift", condition: withDatabase),
      ]),
    // A process that tests kill.
    .executableTarget(
      name: "journal-process", dependencies: ["ScriptedStore", "ScriptedStoreJournal"],
      path: "Tests/JournalProcess"),
    .testTarget(
      name: "ScriptedStoreJournalTests",
      dependencies: [
        "Platform", "ScriptedStoreJournal", "journal-process",
        .product(name: "GRDB", package: "GRDB.swift", condition: withJournal),
      ]),
    .testTarget(name: "ScriptedStoreFilesTests", dependencies: ["ScriptedStoreFiles"]),
    .testTarget(name: "ScriptedStoreHTTPTests", dependencies: ["ScriptedStoreHTTP"]),
    .testTarget(
      name: "ScriptedStoreServerTests",
      dependencies: [
        "Platform", "ScriptView", "ScriptedStoreServer",
        .product(name: "NIOCore", package: "swift-nio", condition: withServer),
        .product(name: "NIOHTTP1", package: "swift-nio", condition: withServer),
        .product(name: "NIOPosix", package: "swift-nio", condition: withServer),
        .product(name: "NIOWebSocket", package: "swift-nio", condition: withServer),
      ]),
    .testTarget(
      name: "ScriptedStoreTracingTests",
      dependencies: [
        "ScriptedStoreTracing",
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
      ]),
    .testTarget(
      name: "RunnerTests",
      dependencies: [
        "Platform", "RunnerShared", "ScriptChecks", "ScriptView", "RunnerCommands",
        "ScriptedStoreJournal", "ScriptedStoreServer", "TerminalEmulator", "runner",
        "runner-core", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
  ]
)

// Of `make sanitize-bridge`, which so builds a tenth of the package.
if Context.environment["SCRIPTED_STORE_BRIDGE_ONLY"] != nil {
  let targets: Set = [
    "CLuaSystem", "CLua", "Platform", "ScriptValue", "LuaBridge", "ScriptValueTests",
    "LuaBridgeTests",
  ]
  package.targets.removeAll { !targets.contains($0.name) }
  package.products.removeAll { $0.name != "LuaBridge" }
  package.traits = []
  package.dependencies.removeAll { dependency in
    if case .sourceControl(_, let location, _) = dependency.kind {
      !location.hasSuffix("swift-collections")
    } else {
      true
    }
  }
}

// `SCRIPTED_STORE_TESTS=ScriptedStoreJournalTests swift build --build-tests` builds one test target, and only what it needs.
if let name = Context.environment["SCRIPTED_STORE_TESTS"] {
  package.targets.removeAll { $0.type == .test && $0.name != name }
  if name != "RunnerTests" {
    package.targets.removeAll { $0.name == "runner" || $0.name == "runner-core" }
    package.products.removeAll { $0.name == "runner" }
  }
  if name != "ScriptedStoreJournalTests" {
    package.targets.removeAll { $0.name == "journal-process" }
  }
}
