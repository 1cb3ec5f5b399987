import ArgumentParser
import Foundation

@main
struct Benchmarks: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Compares what the store does with floors that are measured in the same run.")

  @Option(help: "Only rows whose name contains this.")
  var filter: String?

  @Option(help: "Rounds, whose median counts.")
  var rounds: Int = 11

  @Flag(help: "Short and rough.")
  var quick = false

  @Flag(help: "Exit with 1 if a bar is missed.")
  var strict = false

  @Flag(help: "Leave the floors out, for a profiler; the results mean nothing.")
  var profile = false

  @Option(help: "The runner, built in release mode.")
  var runner = ".build/release/runner"

  @Option(help: .hidden)
  var measureMemory: Int?

  @Option(help: .hidden)
  var measureViewMemory: Int?

  @Option(help: .hidden)
  var measureStores: Int?

  @Option(help: .hidden)
  var measureDurableStores: Int?

  @Option(help: .hidden)
  var measureSleepers: Int?

  @Option(help: .hidden)
  var measureReloads: Int?

  @Option(help: .hidden)
  var measureHistory: Int?

  @Option(help: .hidden)
  var measureIdleClients: Int?

  @Option(help: .hidden)
  var measureSilentClients: Int?

  func validate() throws {
    guard rounds > 0 else { throw ValidationError("At least one round is needed.") }
  }

  func run() throws {
    if let measureMemory {
      try Memory.measure(rows: measureMemory)
      return try Scripts.check()
    }
    if let measureViewMemory {
      try Views.measure(rows: measureViewMemory)
      return try Scripts.check()
    }
    if let measureReloads {
      try Reloads.measureMemory(of: measureReloads)
      return try Scripts.check()
    }
    if let measureHistory {
      try Histories.measure(entries: measureHistory)
      return try Scripts.check()
    }
    if let measureStores {
      try Stores.measure(stores: measureStores)
      return try Scripts.check()
    }
    if let measureDurableStores {
      try DurableCrowd.measure(stores: measureDurableStores)
      return try Scripts.check()
    }
    if let measureSleepers {
      try Effects.measureMemory(of: measureSleepers)
      return try Scripts.check()
    }
    if let measureIdleClients {
      try Servers.measureIdle(measureIdleClients)
      return try Scripts.check()
    }
    if let measureSilentClients {
      try Servers.measureSilent(measureSilentClients)
      return try Scripts.check()
    }

    let benchmarks =
      (Send.all + HostFunctions.all + Bounds.all + Patterns.all + Matching.all + Composition.all
      + Lists.all
      + Effects.all + Sharing.all + Durable.all(runner: runner) + DurableCrowd.all + Observing.all
      + Stores.all + Views.all + Servers.all
      + Terminals.all
      + Payloads.all + JSON.all + Memory.all + Histories.all + Reloads.all
      + Start.all(runner: runner) + Tests.all(runner: runner))
      .filter { filter.map($0.name.contains) ?? true }
    var effort = quick ? Effort(rounds: 3, round: 2e7) : Effort(rounds: rounds, round: 5e7)
    effort.measuresFloors = !profile
    var table = Table(benchmarks)
    for benchmark in benchmarks {
      do {
        let outcome = try benchmark.measure(effort)
        try Scripts.check()
        table.add(benchmark, outcome)
      } catch {
        table.add(benchmark, error)
      }
    }
    table.end()
    if !table.broken.isEmpty || strict && !table.missed.isEmpty { throw ExitCode.failure }
  }
}
