#if HTTP
import Foundation
import ScriptedStore
import ScriptedStoreHTTP
import Testing

struct ResponseTests {
  @Test func aResponseIsATable() async throws {
    let answer: Server.Answer = { _, connection in
      try connection.write(
        "HTTP/1.1 404 Nothing\r\nContent-Length: 2\r\nX-A: 1\r\nx-a: 2\r\n"
          + "Set-Cookie: a=1, b\r\nset-cookie: c\r\nContent-Type: text/plain\r\n\r\nhi")
    }
    try await Server.answering(answer) { server in
      let http = try client(of: server)
      #expect(
        try await http.get(server.url + "/a?b#c") == [
          "status": 404, "body": "hi", "url": Value(server.url + "/a?b"),
          "headers": [
            "content-length": "2", "x-a": "1, 2", "set-cookie": ["a=1, b", "c"],
            "content-type": "text/plain",
          ],
        ])
    }
  }

  /// Answers with a content type and bytes.
  private func respond(
    _ type: String?, _ body: [UInt8], status: String = "200 OK",
    _ test: (Dependency, String) async throws -> Void
  ) async throws {
    let answer: Server.Answer = { _, connection in
      try connection.respond(status, type.map { ["Content-Type": $0] } ?? [:], body)
    }
    try await Server.answering(answer) { server in
      try await test(try client(of: server), server.url)
    }
  }

  @Test(arguments: ["application/json", "Application/JSON; charset=utf-8", "application/hal+json"])
  func jsonIsDecoded(type: String) async throws {
    try await respond(type, Array(#"{"b":{},"a":[1.0]}"#.utf8)) { http, url in
      let response = try await http.get(url)
      #expect(response["json"].json() == #"{"b":{},"a":[1.0]}"#)
      #expect(response["body"] == #"{"b":{},"a":[1.0]}"#)
      let text = try await http.get(url, ["as": "text"])
      #expect(text.object?.contains(key: "json") == false)
      #expect(text["body"] == #"{"b":{},"a":[1.0]}"#)
    }
  }

  @Test func otherTypesAreDecodedOnlyIfAskedFor() async throws {
    try await respond("text/plain", Array("[1]".utf8)) { http, url in
      #expect(try await http.get(url).object?.contains(key: "json") == false)
      let response = try await http.get(url, ["as": "json"])
      #expect(response["json"] == [1])
      #expect(response.object?.contains(key: "body") == false)
      #expect(try await http.call("getJSON", Value(url), nil) == [1])
    }
  }

  @Test func whatClaimsToBeJSONAndIsNotRaises() async throws {
    try await respond("application/json", Array("<html>".utf8), status: "502 Bad") { http, url in
      let failure = await http.failure(getting: url)
      #expect(failure["code"] == "malformed")
      #expect(failure["status"] == 502)
      let message = failure["message"].string ?? ""
      #expect(message.hasPrefix("GET \(url): the response is not JSON (1:1: "))
      #expect(message.hasSuffix("); as = \"text\" gives its text"))
      let response = try await http.get(url, ["as": "text"])
      #expect(response["body"] == "<html>")
    }
  }

  @Test func anEmptyBodyIsNoJSON() async throws {
    try await respond("application/json", [], status: "202 Accepted") { http, url in
      let response = try await http.get(url)
      #expect(response["body"] == "")
      #expect(response.object?.contains(key: "json") == false)
      #expect(await http.failure("getJSON", Value(url), nil)["code"] == "malformed")
    }
  }

  @Test func jsonThatFillsTheDepthOfStateIsRefused() async throws {
    func nested(_ depth: Int) -> [UInt8] {
      Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
    }
    try await respond("application/json", nested(127)) { http, url in
      let response = try await http.get(url)
      #expect(response["json"].depth == 127)
    }
    try await respond("application/json", nested(128)) { http, url in
      #expect(await http.failure(getting: url)["code"] == "malformed")
    }
  }

  @Test func getJSONRaisesUnlessTheServerSucceeded() async throws {
    try await respond("text/plain", Array("gone".utf8), status: "410 Gone") { http, url in
      #expect(
        await http.failure("getJSON", Value(url), nil) == [
          "code": "status", "status": 410, "body": "gone", "url": Value(url),
          "message": Value("GET \(url): the server answered 410 Gone"),
        ])
      #expect(
        await http.failure("getJSON", Value(url), ["as": "text"])["message"].string?
          .hasPrefix("'http.getJSON' has no option 'as'") == true)
    }
  }

  @Test func getJSONSaysThatItWantsJSON() async throws {
    let answer: Server.Answer = { request, connection in
      let accept = Value(request.headers["accept"] ?? "").json()
      try connection.respond("200 OK", [:], accept)
    }
    try await Server.answering(answer) { server in
      let http = try client(of: server)
      let url = Value(server.url)
      #expect(try await http.call("getJSON", url, nil) == "application/json")
      #expect(try await http.call("getJSON", url, ["headers": ["Accept": "x/y"]]) == "x/y")
    }
  }

  @Test func bytesThatAreNoTextComeInBase64() async throws {
    try await respond("image/png", [0xFF, 0x00]) { http, url in
      #expect(
        await http.failure(getting: url) == [
          "code": "notText", "status": 200, "url": Value(url),
          "message": Value(
            "GET \(url): the body of the response is not UTF-8; as = \"base64\" gives any bytes"),
        ])
      let response = try await http.get(url, ["as": "base64"])
      #expect(response["body"] == "/wA=")
    }
  }

  @Test func latin1AndByteOrderMarksAreUnderstood() async throws {
    for charset in ["ISO-8859-1", #""iso-8859-1""#] {
      try await respond("text/plain; charset=\(charset)", [0x47, 0xFC]) { http, url in
        let response = try await http.get(url)
        #expect(response["body"] == "Gü")
      }
    }
    try await respond("application/json", [0xEF, 0xBB, 0xBF, 0x31]) { http, url in
      let response = try await http.get(url)
      #expect(response["json"] == 1)
    }
  }

  @Test func aCompressedBodyIsUnpackedUpToTheLimit() async throws {
    let small = try #require(Data(base64Encoded: "H4sIAAAAAAACA6tWSlSyMqwFAK+sG1YHAAAA"))
    // 200,000 zeros.
    let bomb = try #require(
      Data(
        base64Encoded: "H4sIAAAAAAACA+3BMQEAAADCoPVPbQZ/oAAA" + String(repeating: "A", count: 248)
          + "CA1wB7WOBcQA0DAA=="))
    let answer: Server.Answer = { request, connection in
      let isBomb = request.line.contains("bomb")
      try connection.respond(
        "200 OK", ["content-encoding": "gzip"], isBomb ? bomb : small)
    }
    try await Server.answering(answer) { server in
      let http = try client(of: server, limit: 100_000)
      #expect(try await http.get(server.url)["body"] == #"{"a":1}"#)
      #expect(await http.failure(getting: server.url + "/bomb")["code"] == "tooLarge")
    }
  }

  @Test func manyRequestsAtOnceGetEachTheirOwnAnswer() async throws {
    let answer: Server.Answer = { request, connection in
      try connection.respond("200 OK", [:], request.line)
    }
    try await Server.answering(answer) { server in
      let http = try client(of: server)
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 0..<100 {
          group.addTask {
            try await http.get("\(server.url)/\(number)")["body"]
              == Value("GET /\(number) HTTP/1.1")
          }
        }
        for try await isRight in group { #expect(isRight) }
      }
    }
  }
}
#endif
