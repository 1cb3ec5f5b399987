import LuaBridge

/// Makes a script of bytes that calls what a script can call with what it should not, and runs it under limits. Whatever it
/// does, the VM, or another one, goes on.
final class Scripts: Target {
  private var lua: LuaVM
  private var runs = 0

  /// Instructions are counted, so that the same bytes do the same.
  private static let limits = Limits(
    memory: 16 << 20, memoryPerTurn: 4 << 20, stringLength: 1 << 18, patternSteps: 50_000,
    sourceSize: 1 << 16, instructions: 20_000)

  init() throws { lua = try LuaVM(limits: Scripts.limits) }

  func run(_ bytes: UnsafeRawBufferPointer) throws {
    var grammar = Grammar(Choices(bytes))
    let script = grammar.script()
    runs += 1
    if runs % 1_000 == 0 || lua.memory.used > 8 << 20 { lua = try LuaVM(limits: Scripts.limits) }
    do throws(ScriptError) {
      try lua.evaluate(script, name: "fuzz.lua")
    } catch {
      // In bytes that the grammar does not make it may be a syntax error.
      guard !error.message.isEmpty || error.value != nil else {
        throw Surprise("an error without a message from\n\(script)")
      }
    }
    let check =
      #"return ("abc"):upper() .. #{ 1, 2 } .. tostring(getmetatable("")) .. type(string.rep)"#
    guard try lua.evaluate(check).first?.string == "ABC2falsefunction" else {
      throw Surprise("nothing is as it was after\n\(script)")
    }
  }
}
