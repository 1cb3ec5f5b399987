import Testing
@Test func aLuaBridge() { #expect(Bool(true)) }
