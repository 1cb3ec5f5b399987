import Foundation
import PackagePlugin

/// Makes Swift types of the features that a file `ScriptTypes.json` in the target names, and compiles
/// them in:
///
/// ```json
/// { "scripts": "Scripts", "features": ["dungeon"] }
/// ```
@main
struct ScriptTypes: BuildToolPlugin {
  /// What the target's file says.
  private struct Settings: Decodable {
    /// The folder that `require` reads, relative to the target's folder.
    let scripts: String
    /// Names of modules; `todos:Inbox` for types with other names than the feature's.
    let features: [String]
    /// Names of dependencies that the host offers.
    let dependencies: [String]?
  }

  private static let fileName = "ScriptTypes.json"

  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let file = target.directoryURL.appending(path: Self.fileName)
    let settings = try settings(in: file, of: target)
    let root = target.directoryURL.appending(path: settings.scripts).standardizedFileURL
    let scripts = try scripts(in: root, namedBy: file)
    let output = context.pluginWorkDirectoryURL.appending(path: "ScriptTypes.swift")
    let dependencies = (settings.dependencies ?? []).flatMap { ["--dependency", $0] }
    return [
      .buildCommand(
        displayName: "Making Swift types of \(settings.features.joined(separator: ", "))",
        executable: try context.tool(named: "script-types").url,
        arguments: [root.path, output.path] + settings.features + dependencies,
        // All scripts, as any of them may be required by a feature. A script that is new changes this
        // list, and with it the command.
        inputFiles: [file] + scripts, outputFiles: [output])
    ]
  }

  private func settings(in file: URL, of target: any Target) throws -> Settings {
    guard let data = try? Data(contentsOf: file) else {
      throw Failure(
        "\(file.path): error: the target \(target.name) uses the plug-in ScriptTypes, which needs this "
          + #"file: { "scripts": "Scripts", "features": ["todos"] }"#)
    }
    do {
      let settings = try JSONDecoder().decode(Settings.self, from: data)
      guard !settings.features.isEmpty else {
        throw Failure("\(file.path): error: 'features' is empty; name the modules to make types of")
      }
      return settings
    } catch let error as DecodingError {
      throw Failure(
        "\(file.path): error: \(Self.reason(of: error)); "
          + #"write { "scripts": "Scripts", "features": ["todos"] }"#)
    }
  }

  private static func reason(of error: DecodingError) -> String {
    switch error {
    case .keyNotFound(let key, _): "there is no '\(key.stringValue)'"
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      "'\(context.codingPath.map(\.stringValue).joined(separator: "."))' has another form"
    default: "this is no JSON"
    }
  }

  /// All scripts below the folder, sorted, so that the command is the same each time.
  private func scripts(in root: URL, namedBy file: URL) throws -> [URL] {
    let paths = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
    let scripts = (paths?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "lua" }
    guard !scripts.isEmpty else {
      throw Failure("\(file.path): error: there are no scripts in \(root.path); 'scripts' names it")
    }
    return scripts.sorted { $0.path < $1.path }
  }

  /// SwiftPM prints the description.
  private struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
  }
}
