import Testing
@Test func aRunner() { #expect(Bool(true)) }
