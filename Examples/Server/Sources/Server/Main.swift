import Foundation
import Hummingbird

@main
enum Main {
  static func main() async throws {
    let shop = try Shop(scripts: "scripts") { cents in
      // A real shop asks its bank here.
      try await Task.sleep(for: .milliseconds(200))
      return "R-\(cents)-\(Int.random(in: 1000...9999))"
    }
    let app = Application(
      router: shop.router, configuration: .init(address: .hostname("127.0.0.1", port: 8080)))
    try await app.runService()
  }
}
