import Foundation
import Testing

/// The Swift that the documentation shows compiles.
@Suite struct SwiftPageTests {
  static let pages: [String] = {
    let root = RunnerProcess.repository
    let all = ["docs", "docs/guide", "Sources"].flatMap { folder in
      let names =
        FileManager.default.enumerator(atPath: root.appending(path: folder).path)?
        .compactMap { $0 as? String } ?? []
      // The runner's sources have links to pages of `docs`.
      return names.filter { name in
        name.hasSuffix(".md") && (folder != "docs" || !name.contains("/"))
          && !name.hasPrefix("runner/")
      }
      .map { "\(folder)/\($0)" }
    }
    return (["README.md"] + all).filter { name in
      let text = try? String(contentsOf: root.appending(path: name), encoding: .utf8)
      return text.map { !SwiftPage(name: name, text: $0).isEmpty } ?? false
    }.sorted()
  }()

  @Test(arguments: pages)
  func theSwiftOfAPageCompiles(_ name: String) throws {
    let file = RunnerProcess.repository.appending(path: name)
    let page = SwiftPage(name: name, text: try String(contentsOf: file, encoding: .utf8))
    let errors = try SwiftCompiler.errors(in: page.source)
    #expect(errors.isEmpty, "\(errors)")
  }

  @Test func pagesOfEachKindAreFound() {
    for name in ["README.md", "docs/swift-api.md", "docs/guide/untrusted-scripts.md"] {
      #expect(Self.pages.contains(name))
    }
  }

  @Test func anErrorIsToldWithThePageAndItsLine() throws {
    let page = SwiftPage(
      name: "page.md",
      text: """
        ```swift
        import ScriptedStore

        let host = try ScriptHost(root: "scripts")
        ```

        <!-- swift
        let text: String = "hidden"
        -->

        ```swift
        let number: Int = text
        ```

        ```swift other
        this is not read
        ```

        ```swift
        struct Todo: Codable {}

        extension Todo {}
        ```

        ```swift
        print(host, Todo())
        ```
        """)
    let errors = try SwiftCompiler.errors(in: page.source)
    #expect(errors.contains("page.md:12:"))
    #expect(errors.components(separatedBy: ": error:").count == 2)
  }
}
