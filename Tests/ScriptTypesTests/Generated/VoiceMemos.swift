// Made by `runner swift voice_memos`. Change the scripts instead.
// swift-format-ignore-file

import ScriptedStore

struct VoiceMemosState: Codable, Sendable, Equatable {
  var audioRecorderPermission: String
  var voiceMemos: [VoiceMemoState]
  var alert: Value?
  var recordingMemo: RecordingMemoState?
}

enum VoiceMemosAction: ScriptAction {
  case onDelete([String: Value] = [:])
  case openSettingsButtonTapped
  case recordButtonTapped
  case recordPermissionResponse([String: Value] = [:])
  case alert(PresentationAction<Action>)
  case recordingMemo(PresentationAction<RecordingMemoAction>)
  case voiceMemos(id: Value, VoiceMemoAction)

  func encoded() throws -> Value {
    switch self {
    case .onDelete(let fields): return .action("onDelete", fields: fields)
    case .openSettingsButtonTapped: return .action("openSettingsButtonTapped")
    case .recordButtonTapped: return .action("recordButtonTapped")
    case .recordPermissionResponse(let fields): return .action("recordPermissionResponse", fields: fields)
    case .alert(let action): return try .action("alert", action)
    case .recordingMemo(let action): return try .action("recordingMemo", action)
    case .voiceMemos(let id, let action):
      return try .action("voiceMemos", id: id, action)
    }
  }
}

typealias VoiceMemosStore = ScriptStore<VoiceMemosState, VoiceMemosAction>

extension ScriptScope where Parent == VoiceMemosAction, State == Value, Action == Action {
  static var alert: ScriptScope { ScriptScope(of: "alert", action: "alert") }
}

extension ScriptScope where Parent == VoiceMemosAction, State == RecordingMemoState, Action == RecordingMemoAction {
  static var recordingMemo: ScriptScope { ScriptScope(of: "recordingMemo", action: "recordingMemo") }
}

extension ScriptScope where Parent == VoiceMemosAction, State == VoiceMemoState, Action == VoiceMemoAction {
  static func voiceMemos(id: Value) -> ScriptScope {
    ScriptScope(element: id, of: "voiceMemos", action: "voiceMemos")
  }
}

struct RecordingMemoState: Codable, Sendable, Equatable {
  var duration: Int
  var mode: String
}

enum RecordingMemoAction: ScriptAction {
  case task
  case timerUpdated
  case stopButtonTapped
  case finalRecordingTime([String: Value] = [:])
  case audioRecorderDidFinish(AudioRecorderDidFinish)
  case delegate(Delegate)

  func encoded() throws -> Value {
    switch self {
    case .task: return .action("task")
    case .timerUpdated: return .action("timerUpdated")
    case .stopButtonTapped: return .action("stopButtonTapped")
    case .finalRecordingTime(let fields): return .action("finalRecordingTime", fields: fields)
    case .audioRecorderDidFinish(let action): return try .action("audioRecorderDidFinish", action)
    case .delegate(let action): return try .action("delegate", action)
    }
  }

  enum AudioRecorderDidFinish: ScriptAction {
    case result(Result)

    func encoded() throws -> Value {
      switch self {
      case .result(let action): return try .action("result", action)
      }
    }

    enum Result: ScriptAction {
      case success([String: Value] = [:])
      case failure([String: Value] = [:])

      func encoded() throws -> Value {
        switch self {
        case .success(let fields): return .action("success", fields: fields)
        case .failure(let fields): return .action("failure", fields: fields)
        }
      }
    }
  }

  enum Delegate: ScriptAction {
    case didFinish([String: Value] = [:])

    func encoded() throws -> Value {
      switch self {
      case .didFinish(let fields): return .action("didFinish", fields: fields)
      }
    }
  }
}

typealias RecordingMemoStore = ScriptStore<RecordingMemoState, RecordingMemoAction>

struct VoiceMemoState: Codable, Sendable, Equatable {
  var title: String
}

enum VoiceMemoAction: ScriptAction {
  case playButtonTapped
  case timerUpdated([String: Value] = [:])
  case audioPlayerDidFinish([String: Value] = [:])
  case titleTextFieldChanged([String: Value] = [:])
  case delegate(Delegate)

  func encoded() throws -> Value {
    switch self {
    case .playButtonTapped: return .action("playButtonTapped")
    case .timerUpdated(let fields): return .action("timerUpdated", fields: fields)
    case .audioPlayerDidFinish(let fields): return .action("audioPlayerDidFinish", fields: fields)
    case .titleTextFieldChanged(let fields): return .action("titleTextFieldChanged", fields: fields)
    case .delegate(let action): return try .action("delegate", action)
    }
  }

  enum Delegate: ScriptAction {
    case playbackStarted([String: Value] = [:])
    case playbackFailed([String: Value] = [:])

    func encoded() throws -> Value {
      switch self {
      case .playbackStarted(let fields): return .action("playbackStarted", fields: fields)
      case .playbackFailed(let fields): return .action("playbackFailed", fields: fields)
      }
    }
  }
}

typealias VoiceMemoStore = ScriptStore<VoiceMemoState, VoiceMemoAction>
