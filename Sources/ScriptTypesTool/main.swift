// script-types ROOT OUTPUT [--access internal|package|public] [--dependency NAME]… FEATURE[:NAME]…
//
// Writes the types of features to a file. Only the plug-in ScriptTypes runs it: people have
// `runner swift`.

import Platform
import ScriptTypesGenerator
import ScriptedStore

func fail(_ status: Int32, _ message: String) -> Never {
  // `stderr` is a global variable of C, which strict concurrency does not let Swift read.
  let line = message + "\n"
  _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
  exit(status)
}

var arguments = Array(CommandLine.arguments.dropFirst())

/// Takes an option and its value from the arguments; nil if it is not there.
@MainActor func takeOption(_ name: String) -> String? {
  guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return nil }
  defer { arguments.removeSubrange(index...(index + 1)) }
  return arguments[index + 1]
}

var dependencies: [String] = []
while let dependency = takeOption("--dependency") { dependencies.append(dependency) }
let access = SwiftTypes.Access(rawValue: takeOption("--access") ?? "internal")
guard let access, arguments.count >= 3 else {
  fail(
    64,
    "usage: script-types ROOT OUTPUT [--access internal|package|public] [--dependency NAME]... "
      + "FEATURE[:NAME]...")
}
let (root, output) = (arguments[0], arguments[1])
let features = arguments[2...].map { argument in
  let parts = argument.split(separator: ":", maxSplits: 1).map(String.init)
  return SwiftTypes.Feature(module: parts[0], name: parts.count > 1 ? parts[1] : nil)
}
do {
  let types = try SwiftTypes(
    Array(features), root: root, access: access, dependencies: dependencies)
  guard let file = fopen(output, "w"), fputs(types.text, file) >= 0, fclose(file) == 0 else {
    fail(74, "error: \(output): \(String(cString: strerror(errno)))")
  }
} catch {
  // The form that editors know.
  fail(66, SwiftTypes.diagnostic(of: error, root: root))
}
