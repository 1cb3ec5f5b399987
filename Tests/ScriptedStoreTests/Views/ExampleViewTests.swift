import Foundation
import LuaBridge
import ScriptView
import ScriptedStore
import Testing

/// A person who does anything to the screens of the examples: the incremental tree is the one that is made of nothing, and
/// what is drawn of the changes is what is drawn of the whole.
struct ExampleViewTests {
  /// How many gestures there are for each example: more in `make soak`.
  private static let gestures =
    ProcessInfo.processInfo.environment["SOAK_VIEWS"].flatMap { Int($0) }.map { $0 / 10 } ?? 60

  /// The features among the examples, as `case_studies.recursion`.
  static let features: [String] = {
    let folder = URL(filePath: Example.folder)
    let files =
      FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
    return files.filter { file in
      file.hasSuffix(".lua") && !["tests/", "types/", "examples/"].contains { file.hasPrefix($0) }
    }.map { file in
      let module = file.dropLast(4).replacingOccurrences(of: "/", with: ".")
      return module.hasSuffix(".init") ? String(module.dropLast(5)) : module
    }.sorted()
  }()

  /// An example's store; nil for a script that returns no feature.
  private static func example(_ feature: String) -> Example? {
    guard let example = try? Example(feature, context: .test), example.store.hasView else {
      return nil
    }
    return example
  }

  @Test func theExamplesHaveViews() {
    let withViews = Self.features.filter { Self.example($0) != nil }
    #expect(withViews.count > 30, "\(withViews)")
  }

  @Test(arguments: features)
  func whateverAPersonDoesTheScreenIsTheOneThatIsMadeOfNothing(feature: String)
    async throws
  {
    guard let example = Self.example(feature) else { return }
    var random = SplitMix(seed: 7)
    let tree = example.store.view()
    let history = example.store.record(limit: 100)
    let changed = ChangedTree()
    let observation = tree.observe { changed.apply($0, to: $1) }
    var (isUsable, isUsed) = (false, false)
    for step in 1...Self.gestures {
      var done = ""
      switch Int.random(in: 0..<12, using: &random) {
      case 0: example.clock.advance(by: .seconds(1))
      case 1 where step % 3 == 0: try? history.step(by: -Int.random(in: 0..<4, using: &random))
      default:
        let deed = Person.act(on: tree, &random)
        done = deed.text
        isUsable = isUsable || deed.isPlausible
        isUsed = isUsed || deed.isPlausible && deed.isDone
      }
      let (value, anew) = tree.comparison
      #expect(withoutPast(value) == anew, "step \(step): \(done)")
      if step % 10 == 0, let tree = changed.tree {
        let whole = try Value(json: tree.json())
        #expect(TextDrawing.draw(tree) == TextDrawing.draw(whole))
        #expect(HTMLDrawing.draw(tree) == HTMLDrawing.draw(whole))
      }
    }
    // The keeper of a shared value works on another thread, and what it changes is delivered a moment later.
    for _ in 0..<1000 where changed.tree ?? tree.value != tree.value {
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(changed.tree ?? tree.value == tree.value)
    #expect(changed.failure == nil)
    observation.cancel()
    // A few examples have nothing to use: they only show something, or need the state that a parent gives them.
    #expect(isUsable == isUsed)
  }
}

/// Does something that may be possible with some node of a screen.
enum Person {
  struct Deed {
    let text: String
    /// Whether there was a node that one may use so.
    let isPlausible: Bool
    /// Whether it was possible.
    let isDone: Bool
  }

  static func act(on tree: ViewTree, _ random: inout SplitMix) -> Deed {
    let screen = ViewScreen(tree.value)
    var nodes: [ViewLocation] = []
    collect(screen.top.content, into: &nodes)
    let usable = nodes.filter { !gestures(of: $0, &random).isEmpty }
    let gesture: ViewGesture
    var path = ViewPath.root
    var isPlausible = false
    if let node = usable.randomElement(using: &random), Int.random(in: 0..<10, using: &random) > 0 {
      gesture = gestures(of: node, &random).randomElement(using: &random) ?? .tap
      path = node.path
      isPlausible = true
    } else {
      gesture = Bool.random(using: &random) ? .back : .dismiss
    }
    do throws(ViewRefusal) {
      try tree.perform(gesture, at: path)
      return Deed(text: "\(gesture) at \(path.value)", isPlausible: isPlausible, isDone: true)
    } catch {
      return Deed(text: "refused: \(error)", isPlausible: isPlausible, isDone: false)
    }
  }

  private static func collect(_ location: ViewLocation, into nodes: inout [ViewLocation]) {
    nodes.append(location)
    for child in location.shownChildren { collect(child, into: &nodes) }
  }

  private static func gestures(of location: ViewLocation, _ random: inout SplitMix) -> [ViewGesture]
  {
    let node = location.node
    switch node.kind {
    case "button", "link", "disclosure": return [.tap]
    case "toggle": return [.tap, .enter(.boolean(Bool.random(using: &random)))]
    case "textField", "textEditor", "secureField":
      return [
        .enter(.string(String("Blob Jr.".prefix(Int.random(in: 0..<9, using: &random))))), .submit,
        .focus,
      ]
    case "slider", "stepper": return [.enter(.integer(.random(in: 0..<10, using: &random)))]
    case "picker":
      let options = node.options
      return options.randomElement(using: &random).map { [.enter($0.value)] } ?? []
    default:
      let isRow = node.row != nil
      return isRow
        ? [.tap, .delete([]), .move([], to: .random(in: 1..<4, using: &random)), .select(nil)] : []
    }
  }
}
