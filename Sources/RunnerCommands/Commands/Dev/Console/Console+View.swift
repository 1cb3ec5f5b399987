import ScriptView
import ScriptedStore

extension Console {
  /// Shows the screen, or says whether it is shown whenever it changes.
  func view(_ argument: String) throws(ConsoleFailure) {
    switch argument {
    case "", "on":
      let screen = try openedScreen()
      if argument == "on" { screen.watch(events) }
      showScreen(screen)
    case "off":
      guard screen != nil else { throw ConsoleFailure("the screen is not shown; :view shows it") }
      screen = nil
    default: throw ConsoleFailure("say :view, :view on or :view off")
    }
  }

  private func openedScreen() throws(ConsoleFailure) -> ConsoleScreen {
    guard store.hasView else { throw ConsoleFailure("\(MissingView(tree))") }
    if let screen { return screen }
    let new = ConsoleScreen(store, columns: columns())
    screen = new
    // Nodes with `task` and `onAppear` send their actions now, which may change the screen.
    settle()
    showEvents()
    return new
  }

  /// Shows the screen if it is another one than the one that was shown last.
  func showChangedScreen() {
    if let screen, screen.hasChanged { showScreen(screen) }
  }

  private func showScreen(_ screen: ConsoleScreen) {
    sayAtMost(screen.drawing(columns: columns()), "")
    for failure in screen.takeFailures() { fail(TerminalText(failure)) }
  }
}
