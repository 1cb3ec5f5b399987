// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "Server",
  platforms: [.macOS(.v15)],
  dependencies: [
    // Without traits, so that nothing of the database, the HTTP client and the server of screens is built.
    .package(name: "ScriptedStore", path: "../..", traits: []),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.5.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
  ],
  targets: [
    .executableTarget(
      name: "Server",
      dependencies: [
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "ScriptedStore", package: "ScriptedStore"),
      ]),
    .testTarget(
      name: "ServerTests",
      dependencies: ["Server", .product(name: "Logging", package: "swift-log")]),
  ]
)
