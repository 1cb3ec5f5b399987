import LuaBridge

/// Scripts that no store runs any more, while effects of theirs are in flight.
final class RetiredGeneration {
  private let generation: Generation
  /// Those of the effects that may be in flight: what they start later ends before they do.
  private var jobs: [Job]
  /// The one to be looked at next.
  private var next = 0

  init(_ generation: Generation, _ jobs: [Job]) {
    self.generation = generation
    self.jobs = jobs
  }

  /// Whether nothing of it is in flight. Looks at one or two jobs at a time, so that who asks after each action
  /// pays for none but those that have ended.
  var isOver: Bool {
    if next >= jobs.count { next = 0 }
    if next < jobs.count {
      if jobs[next].hasEnded { jobs.swapAt(next, jobs.count - 1) } else { next += 1 }
    }
    while let last = jobs.last, last.hasEnded { jobs.removeLast() }
    return jobs.isEmpty
  }

  func close() { generation.close() }
}

extension Job {
  /// Whether it, or something that waits for it, is code of a VM.
  func runs(in vm: LuaVM) -> Bool {
    switch self {
    case let body as Body: body.vm === vm || body.route?.uses(vm) == true
    case let body as SwiftBody: body.owner?.uses(vm) == true || body.route?.uses(vm) == true
    case let delayed as Delayed: delayed.context.uses(vm)
    case let sequence as Sequence: sequence.context.uses(vm)
    case let held as Held: held.route?.uses(vm) == true
    default: false
    }
  }
}

extension StartContext {
  fileprivate func uses(_ vm: LuaVM) -> Bool {
    owner?.uses(vm) == true || route?.uses(vm) == true
  }
}

extension Route {
  /// Whether a function of a VM transforms actions on their way.
  fileprivate func uses(_ vm: LuaVM) -> Bool {
    var route: Route? = self
    while let current = route {
      if case .map(_, let owner?) = current.stage, owner.uses(vm) { return true }
      route = current.outer
    }
    return false
  }
}

extension EffectOwner {
  fileprivate func uses(_ vm: LuaVM) -> Bool { scope.registry.vm === vm }
}
