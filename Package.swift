// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "ScriptedStore",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "LuaBridge", targets: ["LuaBridge"]),
    .library(name: "ScriptedStore", targets: ["ScriptedStore"]),
    .executable(name: "runner", targets: ["runner"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CLuaSystem", path: "Sources/CLua/System", pkgConfig: "lua5.4",
      providers: [.apt(["liblua5.4-dev"]), .brew(["lua"])]),
    .target(name: "CLua", dependencies: ["CLuaSystem"], path: "Sources/CLua/Trampolines"),
    .target(
      name: "LuaBridge",
      dependencies: ["CLua", .product(name: "HashTreeCollections", package: "swift-collections")]),
    .target(
      name: "ScriptedStore",
      dependencies: [
        "CLua", "LuaBridge",
        .product(name: "Logging", package: "swift-log"),
      ],
      resources: [.embedInCode("Scripting/Prelude")]),
    .executableTarget(
      name: "runner",
      dependencies: [
        "LuaBridge", "ScriptedStore",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .testTarget(name: "LuaBridgeTests", dependencies: ["LuaBridge"]),
    .testTarget(name: "ScriptedStoreTests", dependencies: ["ScriptedStore"]),
    .testTarget(name: "RunnerTests", dependencies: ["runner"]),
  ]
)
