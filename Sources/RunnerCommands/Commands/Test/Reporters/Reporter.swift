/// Renders the events of a run as text. The caller writes the text of each event at once.
protocol Reporter {
  mutating func text(of event: TestRunEvent) -> String
}
