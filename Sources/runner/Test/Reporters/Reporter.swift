/// Turns a run into text. What it returns is written at once; where to is not its concern.
protocol Reporter {
  mutating func text(of event: TestRunEvent) -> String
}
