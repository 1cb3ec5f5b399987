#if canImport(Glibc)
import Platform
import RunnerShared
import Testing

@Suite struct TerminalInputTests {
  /// Swift's report of a crash names the address.
  @Test func aHandlerThatWasThereGetsTheAddressOfAFault() async {
    await #expect(processExitsWith: .exitCode(7)) {
      let terminal = try Terminal()
      dup2(terminal.streams[0], STDIN_FILENO)
      var action = sigaction()
      action.sa_flags = SA_SIGINFO
      action.__sigaction_handler.sa_sigaction = { _, information, _ in
        let address = information?.pointee._sifields._sigfault.si_addr
        _exit(UInt(bitPattern: address) == 0xAB00 ? 7 : 8)
      }
      sigaction(SIGSEGV, &action, nil)
      TerminalInput.enter()
      #expect(!terminal.takesLines)
      UnsafeMutablePointer<UInt8>(bitPattern: 0xAB00)?.pointee = 1
    }
  }
}
#endif
