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
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let folder = target.directoryURL
    let settings = try TypesSettings(inFolder: folder, ofTarget: target.name)
    let root = settings.root(inFolder: folder)
    let scripts = try settings.scripts(in: root)
    let output = context.pluginWorkDirectoryURL.appending(path: "ScriptTypes.swift")
    return [
      .buildCommand(
        displayName: "Making Swift types of \(settings.features.joined(separator: ", "))",
        executable: try context.tool(named: "script-types").url,
        arguments: [folder.path, output.path],
        // The tool reads the file as well: this command stays as it is until the package changes.
        // All scripts, as any of them may be required by a feature. A script that is new changes this
        // list, and with it the command.
        inputFiles: [settings.file] + scripts, outputFiles: [output])
    ]
  }
}
