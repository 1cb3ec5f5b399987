/// A row of the table: something to measure, and what it must reach.
struct Benchmark: Sendable {
  let name: String
  /// The highest result that passes; nil for a row that only informs.
  let bar: Double?
  let measure: @Sendable (Effort) throws -> Outcome

  init(_ name: String, bar: Double?, _ measure: @escaping @Sendable (Effort) throws -> Outcome) {
    self.name = name
    self.bar = bar
    self.measure = measure
  }
}

/// How long to measure.
struct Effort: Sendable {
  let rounds: Int
  /// Nanoseconds that each side of a comparison gets in a round.
  let round: Double
  /// Whether floors are measured too; a profiler does not want to see them.
  var measuresFloors = true

  static let slicesPerRound = 10
}

struct Outcome: Sendable {
  enum Unit {
    case ratio
    case bytes
    case microseconds
    case milliseconds
  }

  /// What the bar is for.
  let result: Double
  let unit: Unit
  /// What was measured, and the floor it is compared with, in nanoseconds or, for `bytes`, bytes.
  let subject: Double
  let floor: Double?
}

/// Does something so many times and says how many nanoseconds that took, without what it had to
/// prepare.
typealias Subject = (_ count: Int) throws -> Double

/// The subject's time over the floor's: the median of rounds, in each of which both take turns in
/// short slices, so that whatever else the machine does hits them alike.
func compare(
  _ effort: Effort, _ subject: Subject, floor measureFloor: Subject
) throws -> Outcome {
  func floor(_ count: Int) throws -> Double {
    effort.measuresFloors ? try measureFloor(count) : Double(count) * 1e6
  }
  let counts = (try calibrate(subject, effort), try calibrate(floor, effort))
  var times: (subject: [Double], floor: [Double]) = ([], [])
  for _ in 0..<effort.rounds {
    var sums = (subject: 0.0, floor: 0.0)
    for slice in 0..<Effort.slicesPerRound {
      if slice % 2 == 0 { sums.subject += try subject(counts.0) }
      sums.floor += try floor(counts.1)
      if slice % 2 == 1 { sums.subject += try subject(counts.0) }
    }
    times.subject.append(sums.subject / Double(Effort.slicesPerRound * counts.0))
    times.floor.append(sums.floor / Double(Effort.slicesPerRound * counts.1))
  }
  let ratios = zip(times.subject, times.floor).map { $0 / $1 }
  return Outcome(
    result: ratios.median, unit: .ratio, subject: times.subject.median, floor: times.floor.median)
}

/// How often a slice does it. Warms up on the way.
private func calibrate(_ subject: Subject, _ effort: Effort) throws -> Int {
  let slice = effort.round / Double(Effort.slicesPerRound)
  var count = 1
  while true {
    let time = try subject(count)
    if time >= slice / 2 || count > 1 << 24 {
      return max(1, Int(Double(count) * slice / max(time, 1)))
    }
    count *= 2
  }
}

/// The same for what takes long: one of each a round.
func compareOnce(_ effort: Effort, _ subject: () throws -> Double, floor: () throws -> Double)
  throws -> Outcome
{
  var times: (subject: [Double], floor: [Double]) = ([], [])
  for round in 0..<max(3, effort.rounds / 2) {
    if round % 2 == 0 { times.subject.append(try subject()) }
    times.floor.append(try floor())
    if round % 2 == 1 { times.subject.append(try subject()) }
  }
  let ratios = zip(times.subject, times.floor).map { $0 / $1 }
  return Outcome(
    result: ratios.median, unit: .ratio, subject: times.subject.median, floor: times.floor.median)
}
