import LuaBridge
import Testing

struct SharedConstantsTests {
  @Test func cAndSwiftAgree() { #expect(SharedConstants.disagreements == []) }
}
