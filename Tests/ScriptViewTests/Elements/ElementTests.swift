import ScriptView
import Testing

@Suite struct ElementTests {
  @Test func eachElementHasItsOwnKind() {
    #expect(Set(ViewElement.all.map(\.kind)).count == ViewElement.all.count)
  }

  @Test func noElementHasTwoPropertiesOfOneName() {
    for element in ViewElement.all {
      let names = element.properties.map(\.name)
      #expect(Set(names).count == names.count, "\(element.kind)")
    }
  }
}
