#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// Types that a script sees in another form than the one in which they encode themselves:
//
// | type | in a value |
// | --- | --- |
// | `Date` | the seconds since 1970, as `deps.date.now()` returns them |
// | `Duration` | the seconds, as `deps.clock.sleep` takes them |
// | `URL` | its text |
// | `Data` | the text with these bytes |

extension EncodedValue {
  /// The value that stands for `encodable`; nil if the type encodes itself.
  func scriptForm<T: Encodable>(of encodable: T) throws -> Value? {
    if T.self == Date.self, let date = encodable as? Date {
      return try seconds(date.timeIntervalSince1970, of: date)
    }
    if T.self == Duration.self, let duration = encodable as? Duration {
      let (whole, attoseconds) = duration.components
      return try seconds(Double(whole) + Double(attoseconds) / 1e18, of: duration)
    }
    if T.self == URL.self, let url = encodable as? URL { return .string(url.absoluteString) }
    if T.self == Data.self, let data = encodable as? Data {
      if let text = String(validating: data, as: UTF8.self) { return .string(text) }
      throw EncodingError.refusal(
        of: data, codingPath,
        "bytes that are not UTF-8 cannot be stored in state; store data.base64EncodedString()")
    }
    return nil
  }

  private func seconds(_ seconds: Double, of time: Any) throws -> Value {
    guard seconds.isFinite else { throw EncodingError.notFinite(time, codingPath) }
    return .float(seconds)
  }
}

extension InnerDecoder {
  /// The value as a type that a script sees in another form; nil if the type decodes itself.
  func scriptForm<T: Decodable>(_ type: T.Type) throws -> T? {
    if type == Date.self { return Date(timeIntervalSince1970: try float(for: type)) as? T }
    if type == Duration.self {
      let seconds = try float(for: type)
      // More would be a trap in `Duration.seconds`.
      guard abs(seconds) < 1e18 else { throw inexact(type) }
      return Duration.seconds(seconds) as? T
    }
    if type == URL.self {
      let text = try string(for: type)
      guard let url = URL(string: text) else { throw inexact(type) }
      return url as? T
    }
    if type == Data.self {
      // A list of bytes is what `Data` decodes itself from.
      if value.array != nil { return nil }
      return Data(try string(for: type).utf8) as? T
    }
    return nil
  }
}
