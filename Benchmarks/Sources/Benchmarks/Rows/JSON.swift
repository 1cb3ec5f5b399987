import Foundation
import ScriptValue

/// 100,000 todos in and out, compared with Foundation's JSONSerialization on the same bytes.
enum JSON {
  static let all = [
    Benchmark("100,000 todos of JSON into Value / JSONSerialization", bar: 0.25) { effort in
      let text = Scripts.json(rows: 100_000)
      return try compareOnce(effort) {
        var value: Value?
        let time = try Clock.thread.time { value = try Value(json: text) }
        return withExtendedLifetime(value) { time }
      } floor: {
        var object: Any?
        let time = try Clock.thread.time {
          object = try JSONSerialization.jsonObject(with: text)
        }
        return withExtendedLifetime(object) { time }
      }
    },
    Benchmark("100,000 todos of Value into JSON / JSONSerialization", bar: 0.1) { effort in
      let text = Scripts.json(rows: 100_000)
      let value = try Value(json: text)
      let object = try JSONSerialization.jsonObject(with: text)
      return try compareOnce(effort) {
        var out: [UInt8] = []
        let time = Clock.thread.time { value.appendJSON(to: &out) }
        guard out.count > 6_000_000 else { throw Unexpected(description: "short JSON") }
        return time
      } floor: {
        var out = Data()
        let time = try Clock.thread.time {
          out = try JSONSerialization.data(withJSONObject: object)
        }
        guard out.count > 6_000_000 else { throw Unexpected(description: "short JSON") }
        return time
      }
    },
  ]
}
