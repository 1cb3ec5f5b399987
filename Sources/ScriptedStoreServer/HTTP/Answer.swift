#if Server
import NIOCore
import NIOHTTP1
import Platform
import ScriptView

/// What a request is answered with.
struct Answer {
  var status: HTTPResponseStatus
  var headers: HTTPHeaders
  var body: [UInt8]

  /// The headers of all answers.
  ///
  /// The page builds nodes, never from text that is HTML, and `require-trusted-types-for` holds it
  /// to that. Everything comes from this server, but for images, which a script may have from
  /// anywhere.
  static let headers: HTTPHeaders = [
    "content-security-policy":
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' http: https: data:; "
      + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
  ]

  private init(_ status: HTTPResponseStatus, _ type: String?, _ body: [UInt8]) {
    self.status = status
    self.body = body
    headers = Answer.headers
    if let type { headers.add(name: "content-type", value: type) }
  }

  /// Bytes with a strong entity tag, or that the browser has them already.
  private init(_ bytes: [UInt8], _ type: String, tag: String, for head: HTTPRequestHead) {
    let tag = "\"\(tag)\""
    let isKnown = head.headers[canonicalForm: "if-none-match"].contains { $0 == tag }
    self.init(isKnown ? .notModified : .ok, isKnown ? nil : type, isKnown ? [] : bytes)
    headers.add(name: "etag", value: tag)
  }

  /// Nothing, as for the icon that browsers ask for beside a page that names none.
  static let nothing = Answer(.noContent, nil, [])

  static let nothingThere = message(.notFound, "There is nothing here.")

  /// A page with a sentence.
  static func message(_ status: HTTPResponseStatus, _ text: String) -> Answer {
    var answer = Answer(status, "text/plain; charset=utf-8", Array((text + "\n").utf8))
    answer.headers.add(name: "cache-control", value: "no-store")
    return answer
  }

  /// The page that leads from the address with the token to that of the page.
  static func entrance(cookie: String) -> Answer {
    let page = """
      <!doctype html><html lang="en"><meta charset="utf-8"><title>…</title><meta http-equiv="refresh" content="0;url=./">\
      <p><a href="./">Go on</a></p>
      """
    var answer = Answer(.ok, "text/html; charset=utf-8", Array(page.utf8))
    answer.headers.add(name: "cache-control", value: "no-store")
    answer.headers.add(name: "set-cookie", value: cookie)
    return answer
  }

  /// Whether `gzip` is among the encodings that a browser takes, with a weight that is not zero.
  private static func takesGzip(_ encodings: [Substring]) -> Bool {
    encodings.contains { encoding in
      let parts = encoding.split(separator: ";").map { part in
        part.filter { $0 != " " && $0 != "\t" }.lowercased()
      }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) }
      return parts.first == "gzip" && weight != 0
    }
  }

  /// A picture of the author, or that the browser has it already. One that is opened as a page of its own, as an SVG
  /// with a script, runs nothing: `sandbox` without `allow-scripts`.
  static func asset(_ asset: AssetFolder.Asset, for head: HTTPRequestHead) -> Answer {
    var answer = Answer(asset.bytes, asset.mediaType, tag: asset.tag, for: head)
    answer.headers.replaceOrAdd(
      name: "content-security-policy",
      value:
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'none'"
    )
    answer.headers.add(name: "cache-control", value: "no-cache")
    return answer
  }

  /// A file of a person. A picture is shown, with the rules of ``asset(_:for:)``; all else is given to keep.
  static func personal(_ bytes: [UInt8], named name: String, for head: HTTPRequestHead) -> Answer {
    let mediaType = MediaType.ofPicture(name)
    let asset = AssetFolder.Asset(bytes: bytes, mediaType: mediaType ?? "application/octet-stream")
    var answer = Answer.asset(asset, for: head)
    answer.headers.replaceOrAdd(name: "cache-control", value: "private, no-cache")
    let way = mediaType == nil ? "attachment" : "inline"
    answer.headers.add(
      name: "content-disposition", value: "\(way); filename*=UTF-8''\(percentEncoded(name))")
    return answer
  }

  /// A file, or that the browser has it already.
  ///
  /// - Parameter isForever: whether the address never gives another file.
  static func file(
    _ file: PageFile, for head: HTTPRequestHead, isForever: Bool = false
  ) -> Answer {
    let isCompressed = takesGzip(head.headers[canonicalForm: "accept-encoding"])
    // The two forms are different bytes, so that a strong tag has to be different.
    var answer = Answer(
      isCompressed ? file.compressed : file.bytes, file.type,
      tag: file.tag + (isCompressed ? "-gzip" : ""), for: head)
    answer.headers.add(name: "vary", value: "accept-encoding")
    answer.headers.add(
      name: "cache-control",
      value: isForever ? "private, max-age=31536000, immutable" : "no-cache")
    if isCompressed, answer.status == .ok {
      answer.headers.add(name: "content-encoding", value: "gzip")
    }
    return answer
  }
}
#endif
