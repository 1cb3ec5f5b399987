// script-types ROOT OUTPUT FEATURE[:NAME]… [--dependency NAME]…
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
var dependencies: [String] = []
while let index = arguments.firstIndex(of: "--dependency"), index + 1 < arguments.count {
  dependencies.append(arguments[index + 1])
  arguments.removeSubrange(index...(index + 1))
}
guard arguments.count >= 3 else {
  fail(64, "usage: script-types ROOT OUTPUT FEATURE[:NAME]... [--dependency NAME]...")
}
let (root, output) = (arguments[0], arguments[1])
let features = arguments[2...].map { argument in
  let parts = argument.split(separator: ":", maxSplits: 1).map(String.init)
  return SwiftTypes.Feature(module: parts[0], name: parts.count > 1 ? parts[1] : nil)
}
do {
  let types = try SwiftTypes(Array(features), root: root, dependencies: dependencies)
  guard let file = fopen(output, "w"), fputs(types.text, file) >= 0, fclose(file) == 0 else {
    fail(74, "error: \(output): \(String(cString: strerror(errno)))")
  }
} catch {
  // The form that editors know.
  fail(66, SwiftTypes.diagnostic(of: error, root: root))
}
