/// How much a test has to say about what its store does. As TCA's `Exhaustivity`.
public enum Exhaustivity: Sendable, Hashable {
  /// Every change of state, every action that an effect sends, and that all effects have ended by the end.
  case on
  /// Only what it wants to. With `showSkipped`, what it did not say is printed; that never fails.
  case off(showSkipped: Bool = false)

  public static let off = Exhaustivity.off()
}
