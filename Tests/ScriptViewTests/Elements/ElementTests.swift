import ScriptView
import Testing

@Suite struct ElementTests {
  @Test func `Each element has its own kind`() {
    #expect(Set(ViewElement.all.map(\.kind)).count == ViewElement.all.count)
  }

  @Test func `No element has two properties of one name`() {
    for element in ViewElement.all {
      let names = element.properties.map(\.name)
      #expect(Set(names).count == names.count, "\(element.kind)")
    }
  }
}
