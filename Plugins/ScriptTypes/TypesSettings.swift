import Foundation

/// What the file `ScriptTypes.json` in a target's folder says.
///
/// The tests compile this file as well, because a test cannot import a plug-in.
struct TypesSettings: Decodable {
  /// The folder that `require` reads, relative to the target's folder.
  let scripts: String
  /// Names of modules; `todos:Inbox` for types with other names than the feature's.
  let features: [String]
  /// Names of dependencies that the host offers.
  let dependencies: [String]?
  /// Who can use the types: `internal`, which is the default, `package` or `public`.
  let access: String?

  private enum CodingKeys: String, CodingKey, CaseIterable {
    case scripts, features, dependencies, access
  }

  private static let example = #"{ "scripts": "Scripts", "features": ["todos"] }"#

  /// The path of the file, for messages.
  private(set) var file = URL(filePath: "/")

  init(inFolder folder: URL, ofTarget target: String) throws {
    let file = folder.appending(path: "ScriptTypes.json")
    func failure(_ text: String) -> Failure { Failure("\(file.path): error: \(text)") }
    guard let data = try? Data(contentsOf: file) else {
      throw failure(
        "the target \(target) uses the plug-in ScriptTypes, which needs this file: \(Self.example)")
    }
    do {
      self = try JSONDecoder().decode(Self.self, from: data)
    } catch let error as DecodingError {
      throw failure("\(Self.reason(of: error)); write \(Self.example)")
    }
    self.file = file
    let known = CodingKeys.allCases.map(\.rawValue)
    let keys =
      (try? JSONSerialization.jsonObject(with: data) as? [String: Any])?.keys.sorted() ?? []
    if let unknown = keys.first(where: { !known.contains($0) }) {
      throw failure("there is no key '\(unknown)'; the keys are \(known.joined(separator: ", "))")
    }
    guard !features.isEmpty else {
      throw failure("'features' is empty; name the modules to make types of")
    }
    let words = ["internal", "package", "public"]
    if let access, !words.contains(access) {
      throw failure("'access' is '\(access)'; it may be \(words.joined(separator: ", "))")
    }
  }

  private static func reason(of error: DecodingError) -> String {
    switch error {
    case .keyNotFound(let key, _): "there is no '\(key.stringValue)'"
    case .typeMismatch(_, let context) where context.codingPath.isEmpty,
      .valueNotFound(_, let context) where context.codingPath.isEmpty:
      "this is no object"
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      "'\(context.codingPath[0].stringValue)' has another form"
    default: "this is no JSON"
    }
  }

  /// The folder of the scripts.
  func root(inFolder folder: URL) -> URL {
    folder.appending(path: scripts).standardizedFileURL
  }

  /// All scripts below the root, sorted, so that the command is the same each time.
  func scripts(in root: URL) throws -> [URL] {
    let paths = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
    let scripts = (paths?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "lua" }
    guard !scripts.isEmpty else {
      throw Failure("\(file.path): error: there are no scripts in \(root.path); 'scripts' names it")
    }
    return scripts.sorted { $0.path < $1.path }
  }

  /// SwiftPM prints the description.
  struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
  }
}
