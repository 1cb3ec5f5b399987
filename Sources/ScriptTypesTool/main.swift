// script-types FOLDER OUTPUT
//
// Writes the types of the features that the file `ScriptTypes.json` in a folder names. The tool reads the
// file, and not the plug-in, because SwiftPM runs the plug-in again only when the package has changed.
// Only the plug-in ScriptTypes runs it: people have `runner swift`.

import Foundation
import Platform
import ScriptTypesGenerator
import ScriptedStore

func fail(_ status: Int32, _ message: String) -> Never {
  // `stderr` is a global variable of C, which strict concurrency does not let Swift read.
  let line = message + "\n"
  _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
  exit(status)
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count == 2 else { fail(64, "usage: script-types FOLDER OUTPUT") }
let folder = URL(filePath: arguments[0], directoryHint: .isDirectory)
let settings: TypesSettings
do {
  settings = try TypesSettings(inFolder: folder, ofTarget: folder.lastPathComponent)
} catch {
  fail(66, "\(error)")
}
let root = settings.root(inFolder: folder).path
let features = settings.features.map { feature in
  let parts = feature.split(separator: ":", maxSplits: 1).map(String.init)
  return SwiftTypes.Feature(module: parts[0], name: parts.count > 1 ? parts[1] : nil)
}
do {
  let types = try SwiftTypes(
    features, root: root,
    access: settings.access.flatMap { SwiftTypes.Access(rawValue: $0) } ?? .internal,
    dependencies: settings.dependencies ?? [])
  let output = arguments[1]
  guard let file = fopen(output, "w"), fputs(types.text, file) >= 0, fclose(file) == 0 else {
    fail(74, "error: \(output): \(String(cString: strerror(errno)))")
  }
} catch {
  // The form that editors know.
  fail(66, SwiftTypes.diagnostic(of: error, root: root))
}
