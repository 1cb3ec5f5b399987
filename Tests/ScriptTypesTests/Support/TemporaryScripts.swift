import Foundation
import ScriptTypesGenerator
import ScriptedStore

/// A folder of scripts that is removed with it.
final class TemporaryScripts {
  let path: String

  init(_ scripts: [String: String]) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    path = folder.path
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, text) in scripts {
      try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func types(_ features: String..., name: String? = nil) throws -> SwiftTypes {
    try SwiftTypes(features.map { .init(module: $0, name: name) }, root: path)
  }

  func store(_ feature: String) throws -> Store { try ScriptHost(root: path).store(feature) }

  /// The types of a feature with these fields, in `feature.lua`, behind these lines.
  static func types(_ fields: String, below lines: String = "") throws -> String {
    try TemporaryScripts(["feature.lua": script(fields, below: lines)]).types("feature").text
  }

  /// What is wrong with such a feature; empty if nothing is.
  static func error(_ fields: String, below lines: String = "") throws -> String {
    do {
      _ = try types(fields, below: lines)
      return ""
    } catch let error as TypesError {
      return error.description
    }
  }

  private static func script(_ fields: String, below lines: String) -> String {
    let head = "local scripted = require 'scripted'\n" + (lines.isEmpty ? "" : lines + "\n")
    return head + "return scripted.feature {\nname = 'F',\n\(fields)\n}\n"
  }
}

/// The folder of this repository.
let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent().deletingLastPathComponent()
