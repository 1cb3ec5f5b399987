import Testing
@Test func aScriptedStore() { #expect(Bool(true)) }
