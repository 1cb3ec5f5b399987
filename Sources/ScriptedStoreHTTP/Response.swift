#if HTTP
import LuaBridge
import NIOHTTP1
import ScriptedStore

/// A complete response.
struct Response: Sendable {
  /// The request that was answered: the last one after redirects.
  let request: Request
  let status: Int
  let reason: String
  let headers: HTTPHeaders
  let body: [UInt8]

  /// The value that scripts get: `{ status, headers, url, body, json }`.
  func value() throws(ScriptError) -> Value {
    var result: Value.Object = [
      "status": .integer(Int64(status)),
      "headers": .object(headerTable),
      "url": .string(request.target.text),
    ]
    switch request.format {
    case nil:
      result["body"] = try text()
      if isJSON, !body.isEmpty { result["json"] = try json() }
    case .text: result["body"] = try text()
    case .json: result["json"] = try json()
    case .base64: result["body"] = try content(.base64)
    }
    return .object(result)
  }

  /// The decoded JSON of a successful response. Throws for any other response.
  func jsonOfSuccess() throws(ScriptError) -> Value {
    guard (200..<300).contains(status) else {
      var details: Value.Object = ["status": .integer(Int64(status))]
      details["body"] = try? text()
      throw request.failure("status", "the server answered \(status) \(reason)", details)
    }
    return try json()
  }

  /// Headers by their names in lower case. Several values of one name are joined with `, `, as RFC
  /// 9110 defines it; those of set-cookie, which may contain commas, are a list.
  private var headerTable: Value.Object {
    var table: Value.Object = [:]
    for (name, value) in headers {
      let name = name.lowercased()
      if name == "set-cookie" {
        var list = table[name]?.array ?? Value.List()
        list.append(.string(value))
        table[name] = .array(list)
      } else if let before = table[name]?.string {
        table[name] = .string(before + ", " + value)
      } else {
        table[name] = .string(value)
      }
    }
    return table
  }
}

// MARK: Body

extension Response {
  /// The content type in lower case, such as `text/html; charset=utf-8`.
  private var contentType: String { (headers.first(name: "content-type") ?? "").lowercased() }

  private var isJSON: Bool {
    let type = contentType.prefix { $0 != ";" && $0 != " " }
    return type == "application/json" || type.hasSuffix("+json")
  }

  private func text() throws(ScriptError) -> Value {
    // ISO 8859-1 is the only other character set that is still common. Each byte is the Unicode
    // scalar of its number.
    if contentType.filter({ $0 != "\"" }).contains("charset=iso-8859-1") {
      return .string(String(String.UnicodeScalarView(body.map { Unicode.Scalar($0) })))
    }
    return try content(.text)
  }

  private func json() throws(ScriptError) -> Value {
    let value = try content(.json)
    guard value.depth < maximumDepth else {
      throw request.failure("malformed", "the JSON of the response nests too deep")
    }
    return value
  }

  private func content(_ format: ContentFormat) throws(ScriptError) -> Value {
    do {
      return try format.value(of: body)
    } catch {
      let details: Value.Object = ["status": .integer(Int64(status))]
      throw switch error {
      case .notUTF8:
        request.failure(
          "notText", "the body of the response is not UTF-8; as = \"base64\" gives any bytes",
          details)
      case .malformed(let fault):
        request.failure(
          "malformed",
          "the response is not JSON (\(fault)); as = \"text\" gives its text", details)
      }
    }
  }
}
#endif
