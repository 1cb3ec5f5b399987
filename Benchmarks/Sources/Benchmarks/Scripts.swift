import Foundation
import LuaBridge
import ScriptedStore
import Synchronization

/// The features that are measured.
enum Scripts {
  static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Scripts").path

  /// The first thing that went wrong in a store.
  private static let complaint = Mutex<String?>(nil)

  private static func complain(_ text: String) {
    complaint.withLock { if $0 == nil { $0 = text } }
  }

  /// Throws if something went wrong in a store since it was asked last.
  static func check() throws {
    let complaint = complaint.withLock { complaint in
      defer { complaint = nil }
      return complaint
    }
    if let complaint { throw Unexpected(description: complaint) }
  }

  /// A store with a VM of its own.
  static func store(
    _ feature: String, state: Value? = nil, clock: VirtualClock? = nil,
    limits: Limits = .standard
  ) throws -> Store {
    let host = try ScriptHost(
      root: folder,
      configuration: ScriptHost.Configuration(
        limits: limits, clock: clock,
        onWarning: { complain("\($0)") },
        onError: { error, action in complain("\(action): \(error)") }))
    return try host.store(feature, state: state)
  }

  /// `{ id, title of 24 bytes, isComplete }`, ids from 1.
  static func rows(_ count: Int) throws -> Value { try Value(json: json(rows: count)) }

  static func json(rows count: Int) -> Data {
    var text = "["
    for id in 1...count {
      let title = "Thing to be done " + String(String(id + 10_000_000).suffix(7))
      text += id == 1 ? "" : ",\n"
      text += #"{"id":\#(id),"title":"\#(title)","isComplete":\#(id % 3 == 0)}"#
    }
    return Data((text + "]").utf8)
  }

  static func listStore(rows count: Int) throws -> Store {
    try store("rows", state: ["todos": try rows(count), "nextId": .integer(Int64(count + 1))])
  }
}

/// A benchmark that did not do what it should have.
struct Unexpected: Error, CustomStringConvertible {
  let description: String
}
