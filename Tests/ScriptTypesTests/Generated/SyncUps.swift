// Made by `runner swift sync_ups`. Change the scripts instead.
// swift-format-ignore-file

import ScriptedStore

struct SyncUpsState: Codable, Sendable, Equatable {
  var path: [StackElement<SyncUpsPathState>]
  var syncUpsList: SyncUpsListState
}

enum SyncUpsAction: ScriptAction {
  case syncUpsList(SyncUpsListAction)
  case path(StackAction<SyncUpsPathState, SyncUpsPathAction>)

  func encoded() throws -> Value {
    switch self {
    case .syncUpsList(let action): return try .action("syncUpsList", action)
    case .path(let action): return try .action("path", action)
    }
  }
}

typealias SyncUpsStore = ScriptStore<SyncUpsState, SyncUpsAction>

extension ScriptScope where Parent == SyncUpsAction, State == SyncUpsListState, Action == SyncUpsListAction {
  static var syncUpsList: ScriptScope { ScriptScope(of: "syncUpsList", action: "syncUpsList") }
}

extension ScriptScope where Parent == SyncUpsAction, State == StackElement<SyncUpsPathState>, Action == SyncUpsPathAction {
  static func path(id: Int) -> ScriptScope {
    ScriptScope(element: id, of: "path", action: "path")
  }
}

struct SyncUpsListState: Codable, Sendable, Equatable {
  var file: Value?
  var syncUps: Value
  var destination: SyncUpsListDestinationState?
}

enum SyncUpsListAction: ScriptAction {
  case dismissAddSyncUpButtonTapped
  case confirmAddSyncUpButtonTapped
  case task
  case addSyncUpButtonTapped
  case onDelete([String: Value] = [:])
  case syncUpTapped([String: Value] = [:])
  case destination(PresentationAction<SyncUpsListDestinationAction>)

  func encoded() throws -> Value {
    switch self {
    case .dismissAddSyncUpButtonTapped: return .action("dismissAddSyncUpButtonTapped")
    case .confirmAddSyncUpButtonTapped: return .action("confirmAddSyncUpButtonTapped")
    case .task: return .action("task")
    case .addSyncUpButtonTapped: return .action("addSyncUpButtonTapped")
    case .onDelete(let fields): return .action("onDelete", fields: fields)
    case .syncUpTapped(let fields): return .action("syncUpTapped", fields: fields)
    case .destination(let action): return try .action("destination", action)
    }
  }
}

typealias SyncUpsListStore = ScriptStore<SyncUpsListState, SyncUpsListAction>

extension ScriptScope where Parent == SyncUpsListAction, State == SyncUpsListDestinationState, Action == SyncUpsListDestinationAction {
  static var destination: ScriptScope { ScriptScope(of: "destination", action: "destination") }
}

enum SyncUpsListDestinationState: Codable, Sendable, Equatable {
  case add(SyncUpFormState)
  case alert(Value)

  init(from decoder: any Decoder) throws {
    let state = try TaggedState(from: decoder, cases: ["add", "alert"])
    switch state.name {
    case "add": self = .add(try state.decoded())
    default: self = .alert(try state.decoded())
    }
  }

  func encode(to encoder: any Encoder) throws {
    switch self {
    case .add(let state):
      try TaggedState.encode(state, as: "add", to: encoder)
    case .alert(let state):
      try TaggedState.encode(state, as: "alert", to: encoder)
    }
  }
}

enum SyncUpsListDestinationAction: ScriptAction {
  case add(SyncUpFormAction)
  case alert(SyncUpsListDestinationAlertAction)

  func encoded() throws -> Value {
    switch self {
    case .add(let action): return try .action("add", action)
    case .alert(let action): return try .action("alert", action)
    }
  }
}

struct SyncUpFormState: Codable, Sendable, Equatable {
  var focus: String
}

enum SyncUpFormAction: ScriptAction {
  case addAttendeeButtonTapped
  case lengthChanged([String: Value] = [:])
  case deleteAttendees([String: Value] = [:])
  case cancelButtonTapped([String: Value] = [:])
  case saveButtonTapped([String: Value] = [:])
  case binding(ScriptBinding<SyncUpFormState>)

  func encoded() throws -> Value {
    switch self {
    case .addAttendeeButtonTapped: return .action("addAttendeeButtonTapped")
    case .lengthChanged(let fields): return .action("lengthChanged", fields: fields)
    case .deleteAttendees(let fields): return .action("deleteAttendees", fields: fields)
    case .cancelButtonTapped(let fields): return .action("cancelButtonTapped", fields: fields)
    case .saveButtonTapped(let fields): return .action("saveButtonTapped", fields: fields)
    case .binding(let binding): return try binding.encoded()
    }
  }
}

typealias SyncUpFormStore = ScriptStore<SyncUpFormState, SyncUpFormAction>

extension ScriptBinding where State == SyncUpFormState {
  static func focus(_ value: String) -> ScriptBinding {
    ScriptBinding(key: "focus", value)
  }
}

enum SyncUpsListDestinationAlertAction: ScriptAction {
  case confirmLoadMockData

  func encoded() throws -> Value {
    switch self {
    case .confirmLoadMockData: return .action("confirmLoadMockData")
    }
  }
}

enum SyncUpsPathState: Codable, Sendable, Equatable {
  case detail(SyncUpDetailState)
  case meeting(MeetingState)
  case record(RecordMeetingState)

  init(from decoder: any Decoder) throws {
    let state = try TaggedState(from: decoder, cases: ["detail", "meeting", "record"])
    switch state.name {
    case "detail": self = .detail(try state.decoded())
    case "meeting": self = .meeting(try state.decoded())
    default: self = .record(try state.decoded())
    }
  }

  func encode(to encoder: any Encoder) throws {
    switch self {
    case .detail(let state):
      try TaggedState.encode(state, as: "detail", to: encoder)
    case .meeting(let state):
      try TaggedState.encode(state, as: "meeting", to: encoder)
    case .record(let state):
      try TaggedState.encode(state, as: "record", to: encoder)
    }
  }
}

enum SyncUpsPathAction: ScriptAction {
  case detail(SyncUpDetailAction)
  case meeting(MeetingAction)
  case record(RecordMeetingAction)

  func encoded() throws -> Value {
    switch self {
    case .detail(let action): return try .action("detail", action)
    case .meeting(let action): return try .action("meeting", action)
    case .record(let action): return try .action("record", action)
    }
  }
}

struct SyncUpDetailState: Codable, Sendable, Equatable {
  var destination: SyncUpDetailDestinationState?
}

enum SyncUpDetailAction: ScriptAction {
  case cancelEditButtonTapped
  case doneEditingButtonTapped
  case deleteButtonTapped
  case deleteMeetings([String: Value] = [:])
  case editButtonTapped
  case startMeetingButtonTapped
  case delegate(Delegate)
  case meetingTapped([String: Value] = [:])
  case destination(PresentationAction<SyncUpDetailDestinationAction>)

  func encoded() throws -> Value {
    switch self {
    case .cancelEditButtonTapped: return .action("cancelEditButtonTapped")
    case .doneEditingButtonTapped: return .action("doneEditingButtonTapped")
    case .deleteButtonTapped: return .action("deleteButtonTapped")
    case .deleteMeetings(let fields): return .action("deleteMeetings", fields: fields)
    case .editButtonTapped: return .action("editButtonTapped")
    case .startMeetingButtonTapped: return .action("startMeetingButtonTapped")
    case .delegate(let action): return try .action("delegate", action)
    case .meetingTapped(let fields): return .action("meetingTapped", fields: fields)
    case .destination(let action): return try .action("destination", action)
    }
  }

  enum Delegate: ScriptAction {
    case startMeeting([String: Value] = [:])
    case deleteSyncUp([String: Value] = [:])
    case syncUpUpdated([String: Value] = [:])

    func encoded() throws -> Value {
      switch self {
      case .startMeeting(let fields): return .action("startMeeting", fields: fields)
      case .deleteSyncUp(let fields): return .action("deleteSyncUp", fields: fields)
      case .syncUpUpdated(let fields): return .action("syncUpUpdated", fields: fields)
      }
    }
  }
}

typealias SyncUpDetailStore = ScriptStore<SyncUpDetailState, SyncUpDetailAction>

extension ScriptScope where Parent == SyncUpDetailAction, State == SyncUpDetailDestinationState, Action == SyncUpDetailDestinationAction {
  static var destination: ScriptScope { ScriptScope(of: "destination", action: "destination") }
}

enum SyncUpDetailDestinationState: Codable, Sendable, Equatable {
  case alert(Value)
  case edit(SyncUpFormState)

  init(from decoder: any Decoder) throws {
    let state = try TaggedState(from: decoder, cases: ["alert", "edit"])
    switch state.name {
    case "alert": self = .alert(try state.decoded())
    default: self = .edit(try state.decoded())
    }
  }

  func encode(to encoder: any Encoder) throws {
    switch self {
    case .alert(let state):
      try TaggedState.encode(state, as: "alert", to: encoder)
    case .edit(let state):
      try TaggedState.encode(state, as: "edit", to: encoder)
    }
  }
}

enum SyncUpDetailDestinationAction: ScriptAction {
  case alert(SyncUpDetailDestinationAlertAction)
  case edit(SyncUpFormAction)

  func encoded() throws -> Value {
    switch self {
    case .alert(let action): return try .action("alert", action)
    case .edit(let action): return try .action("edit", action)
    }
  }
}

enum SyncUpDetailDestinationAlertAction: ScriptAction {
  case continueWithoutRecording
  case confirmDeletion
  case openSettings

  func encoded() throws -> Value {
    switch self {
    case .continueWithoutRecording: return .action("continueWithoutRecording")
    case .confirmDeletion: return .action("confirmDeletion")
    case .openSettings: return .action("openSettings")
    }
  }
}

struct MeetingState: Codable, Sendable, Equatable {
}

enum MeetingAction: ScriptAction {
  func encoded() throws -> Value {
    switch self {
    }
  }
}

typealias MeetingStore = ScriptStore<MeetingState, MeetingAction>

struct RecordMeetingState: Codable, Sendable, Equatable {
  var secondsElapsed: Int
  var speakerIndex: Int
  var transcript: String
  var alert: Value?
}

enum RecordMeetingAction: ScriptAction {
  case task
  case timerTick([String: Value] = [:])
  case nextButtonTapped
  case endMeetingButtonTapped
  case speechResult([String: Value] = [:])
  case speechFailure
  case delegate(Delegate)
  case alert(PresentationAction<RecordMeetingAlertAction>)

  func encoded() throws -> Value {
    switch self {
    case .task: return .action("task")
    case .timerTick(let fields): return .action("timerTick", fields: fields)
    case .nextButtonTapped: return .action("nextButtonTapped")
    case .endMeetingButtonTapped: return .action("endMeetingButtonTapped")
    case .speechResult(let fields): return .action("speechResult", fields: fields)
    case .speechFailure: return .action("speechFailure")
    case .delegate(let action): return try .action("delegate", action)
    case .alert(let action): return try .action("alert", action)
    }
  }

  enum Delegate: ScriptAction {
    case syncUpUpdated([String: Value] = [:])

    func encoded() throws -> Value {
      switch self {
      case .syncUpUpdated(let fields): return .action("syncUpUpdated", fields: fields)
      }
    }
  }
}

typealias RecordMeetingStore = ScriptStore<RecordMeetingState, RecordMeetingAction>

extension ScriptScope where Parent == RecordMeetingAction, State == Value, Action == RecordMeetingAlertAction {
  static var alert: ScriptScope { ScriptScope(of: "alert", action: "alert") }
}

enum RecordMeetingAlertAction: ScriptAction {
  case confirmSave
  case confirmDiscard

  func encoded() throws -> Value {
    switch self {
    case .confirmSave: return .action("confirmSave")
    case .confirmDiscard: return .action("confirmDiscard")
    }
  }
}
