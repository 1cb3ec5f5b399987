// Made by `runner swift counter case_studies.two_counters case_studies.optional_state case_studies.multiple_destinations case_studies.recursion case_studies.navigation_stack --access public`. Change the scripts instead.
// swift-format-ignore-file

import ScriptedStore

public struct CounterState: Codable, Sendable, Equatable {
  public var count: Int

  public init(count: Int) {
    self.count = count
  }
}

public enum CounterAction: ScriptAction {
  case increment([String: Value] = [:])
  case reset
  case incrementLater

  public func encoded() throws -> Value {
    switch self {
    case .increment(let fields): return .action("increment", fields: fields)
    case .reset: return .action("reset")
    case .incrementLater: return .action("incrementLater")
    }
  }
}

public typealias CounterStore = ScriptStore<CounterState, CounterAction>

public struct TwoCountersState: Codable, Sendable, Equatable {
  public var counter1: CounterState
  public var counter2: CounterState

  public init(counter1: CounterState, counter2: CounterState) {
    self.counter1 = counter1
    self.counter2 = counter2
  }
}

public enum TwoCountersAction: ScriptAction {
  case counter1(CounterAction)
  case counter2(CounterAction)

  public func encoded() throws -> Value {
    switch self {
    case .counter1(let action): return try .action("counter1", action)
    case .counter2(let action): return try .action("counter2", action)
    }
  }
}

public typealias TwoCountersStore = ScriptStore<TwoCountersState, TwoCountersAction>

extension ScriptScope where Parent == TwoCountersAction, State == CounterState, Action == CounterAction {
  public static var counter1: ScriptScope { ScriptScope(of: "counter1", action: "counter1") }
}

extension ScriptScope where Parent == TwoCountersAction, State == CounterState, Action == CounterAction {
  public static var counter2: ScriptScope { ScriptScope(of: "counter2", action: "counter2") }
}

public struct OptionalStateState: Codable, Sendable, Equatable {
  public var optionalCounter: CounterState?

  public init(optionalCounter: CounterState? = nil) {
    self.optionalCounter = optionalCounter
  }
}

public enum OptionalStateAction: ScriptAction {
  case toggleCounterButtonTapped
  case optionalCounter(PresentationAction<CounterAction>)

  public func encoded() throws -> Value {
    switch self {
    case .toggleCounterButtonTapped: return .action("toggleCounterButtonTapped")
    case .optionalCounter(let action): return try .action("optionalCounter", action)
    }
  }
}

public typealias OptionalStateStore = ScriptStore<OptionalStateState, OptionalStateAction>

extension ScriptScope where Parent == OptionalStateAction, State == CounterState, Action == CounterAction {
  public static var optionalCounter: ScriptScope { ScriptScope(of: "optionalCounter", action: "optionalCounter") }
}

public struct MultipleDestinationsState: Codable, Sendable, Equatable {
  public var destination: MultipleDestinationsDestinationState?

  public init(destination: MultipleDestinationsDestinationState? = nil) {
    self.destination = destination
  }
}

public enum MultipleDestinationsAction: ScriptAction {
  case showDrillDown
  case showPopover
  case showSheet
  case destination(PresentationAction<MultipleDestinationsDestinationAction>)

  public func encoded() throws -> Value {
    switch self {
    case .showDrillDown: return .action("showDrillDown")
    case .showPopover: return .action("showPopover")
    case .showSheet: return .action("showSheet")
    case .destination(let action): return try .action("destination", action)
    }
  }
}

public typealias MultipleDestinationsStore = ScriptStore<MultipleDestinationsState, MultipleDestinationsAction>

extension ScriptScope where Parent == MultipleDestinationsAction, State == MultipleDestinationsDestinationState, Action == MultipleDestinationsDestinationAction {
  public static var destination: ScriptScope { ScriptScope(of: "destination", action: "destination") }
}

public enum MultipleDestinationsDestinationState: Codable, Sendable, Equatable {
  case drillDown(CounterState)
  case popover(CounterState)
  case sheet(CounterState)

  public init(from decoder: any Decoder) throws {
    let state = try TaggedState(from: decoder, cases: ["drillDown", "popover", "sheet"])
    switch state.name {
    case "drillDown": self = .drillDown(try state.decoded())
    case "popover": self = .popover(try state.decoded())
    default: self = .sheet(try state.decoded())
    }
  }

  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .drillDown(let state):
      try TaggedState.encode(state, as: "drillDown", to: encoder)
    case .popover(let state):
      try TaggedState.encode(state, as: "popover", to: encoder)
    case .sheet(let state):
      try TaggedState.encode(state, as: "sheet", to: encoder)
    }
  }
}

public enum MultipleDestinationsDestinationAction: ScriptAction {
  case drillDown(CounterAction)
  case popover(CounterAction)
  case sheet(CounterAction)

  public func encoded() throws -> Value {
    switch self {
    case .drillDown(let action): return try .action("drillDown", action)
    case .popover(let action): return try .action("popover", action)
    case .sheet(let action): return try .action("sheet", action)
    }
  }
}

public struct NestedState: Codable, Sendable, Equatable, Identifiable {
  public var id: String
  public var name: String
  public var rows: [NestedState]

  public init(id: String, name: String, rows: [NestedState]) {
    self.id = id
    self.name = name
    self.rows = rows
  }
}

public indirect enum NestedAction: ScriptAction {
  case addRowButtonTapped
  case nameTextFieldChanged([String: Value] = [:])
  case deleteRows([String: Value] = [:])
  case rows(id: Value, NestedAction)

  public func encoded() throws -> Value {
    switch self {
    case .addRowButtonTapped: return .action("addRowButtonTapped")
    case .nameTextFieldChanged(let fields): return .action("nameTextFieldChanged", fields: fields)
    case .deleteRows(let fields): return .action("deleteRows", fields: fields)
    case .rows(let id, let action):
      return try .action("rows", id: id, action)
    }
  }
}

public typealias NestedStore = ScriptStore<NestedState, NestedAction>

extension ScriptScope where Parent == NestedAction, State == NestedState, Action == NestedAction {
  public static func rows(id: Value) -> ScriptScope {
    ScriptScope(element: id, of: "rows", action: "rows")
  }
}

public struct NavigationStackState: Codable, Sendable, Equatable {
  public var path: [StackElement<NavigationStackPathState>]

  public init(path: [StackElement<NavigationStackPathState>]) {
    self.path = path
  }
}

public enum NavigationStackAction: ScriptAction {
  case goToABCButtonTapped
  case goBackToScreen([String: Value] = [:])
  case popToRoot
  case path(StackAction<NavigationStackPathState, NavigationStackPathAction>)

  public func encoded() throws -> Value {
    switch self {
    case .goToABCButtonTapped: return .action("goToABCButtonTapped")
    case .goBackToScreen(let fields): return .action("goBackToScreen", fields: fields)
    case .popToRoot: return .action("popToRoot")
    case .path(let action): return try .action("path", action)
    }
  }
}

public typealias NavigationStackStore = ScriptStore<NavigationStackState, NavigationStackAction>

extension ScriptScope where Parent == NavigationStackAction, State == StackElement<NavigationStackPathState>, Action == NavigationStackPathAction {
  public static func path(id: Int) -> ScriptScope {
    ScriptScope(element: id, of: "path", action: "path")
  }
}

public enum NavigationStackPathState: Codable, Sendable, Equatable {
  case screenA(ScreenAState)
  case screenB(ScreenBState)
  case screenC(ScreenCState)

  public init(from decoder: any Decoder) throws {
    let state = try TaggedState(from: decoder, cases: ["screenA", "screenB", "screenC"])
    switch state.name {
    case "screenA": self = .screenA(try state.decoded())
    case "screenB": self = .screenB(try state.decoded())
    default: self = .screenC(try state.decoded())
    }
  }

  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .screenA(let state):
      try TaggedState.encode(state, as: "screenA", to: encoder)
    case .screenB(let state):
      try TaggedState.encode(state, as: "screenB", to: encoder)
    case .screenC(let state):
      try TaggedState.encode(state, as: "screenC", to: encoder)
    }
  }
}

public enum NavigationStackPathAction: ScriptAction {
  case screenA(ScreenAAction)
  case screenB(ScreenBAction)
  case screenC(ScreenCAction)

  public func encoded() throws -> Value {
    switch self {
    case .screenA(let action): return try .action("screenA", action)
    case .screenB(let action): return try .action("screenB", action)
    case .screenC(let action): return try .action("screenC", action)
    }
  }
}

public struct ScreenAState: Codable, Sendable, Equatable {
  public var count: Int
  public var isLoading: Bool

  public init(count: Int, isLoading: Bool) {
    self.count = count
    self.isLoading = isLoading
  }
}

public enum ScreenAAction: ScriptAction {
  case decrementButtonTapped
  case incrementButtonTapped
  case dismissButtonTapped
  case factButtonTapped
  case factResponse([String: Value] = [:])

  public func encoded() throws -> Value {
    switch self {
    case .decrementButtonTapped: return .action("decrementButtonTapped")
    case .incrementButtonTapped: return .action("incrementButtonTapped")
    case .dismissButtonTapped: return .action("dismissButtonTapped")
    case .factButtonTapped: return .action("factButtonTapped")
    case .factResponse(let fields): return .action("factResponse", fields: fields)
    }
  }
}

public typealias ScreenAStore = ScriptStore<ScreenAState, ScreenAAction>

public struct ScreenBState: Codable, Sendable, Equatable {

  public init() {
  }
}

public enum ScreenBAction: ScriptAction {
  case screenAButtonTapped([String: Value] = [:])
  case screenBButtonTapped([String: Value] = [:])
  case screenCButtonTapped([String: Value] = [:])

  public func encoded() throws -> Value {
    switch self {
    case .screenAButtonTapped(let fields): return .action("screenAButtonTapped", fields: fields)
    case .screenBButtonTapped(let fields): return .action("screenBButtonTapped", fields: fields)
    case .screenCButtonTapped(let fields): return .action("screenCButtonTapped", fields: fields)
    }
  }
}

public typealias ScreenBStore = ScriptStore<ScreenBState, ScreenBAction>

public struct ScreenCState: Codable, Sendable, Equatable {
  public var count: Int
  public var isTimerRunning: Bool

  public init(count: Int, isTimerRunning: Bool) {
    self.count = count
    self.isTimerRunning = isTimerRunning
  }
}

public enum ScreenCAction: ScriptAction {
  case startButtonTapped
  case stopButtonTapped
  case timerTicked

  public func encoded() throws -> Value {
    switch self {
    case .startButtonTapped: return .action("startButtonTapped")
    case .stopButtonTapped: return .action("stopButtonTapped")
    case .timerTicked: return .action("timerTicked")
    }
  }
}

public typealias ScreenCStore = ScriptStore<ScreenCState, ScreenCAction>
