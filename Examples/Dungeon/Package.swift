// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "Dungeon",
  platforms: [.macOS(.v15)],
  // No traits: the game needs neither HTTP nor SQLite nor a server, which take most of the time to build.
  dependencies: [.package(name: "ScriptedStore", path: "../..", traits: [])],
  targets: [
    .target(
      name: "Dungeon",
      dependencies: [.product(name: "ScriptedStore", package: "ScriptedStore")],
      exclude: ["ScriptTypes.json"],
      resources: [.copy("Scripts")],
      plugins: [.plugin(name: "ScriptTypes", package: "ScriptedStore")]),
    .executableTarget(name: "dungeon-game", dependencies: ["Dungeon"]),
    .testTarget(name: "DungeonTests", dependencies: ["Dungeon"]),
  ]
)
