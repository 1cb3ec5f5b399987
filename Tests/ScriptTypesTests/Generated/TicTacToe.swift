// Made by `runner swift tic_tac_toe`. Change the scripts instead.
// swift-format-ignore-file

import ScriptedStore

struct TicTacToeState: Codable, Sendable, Equatable {
  var login: TicTacToeState.Login

  struct Login: Codable, Sendable, Equatable {
    var email: String
    var isFormValid: Bool
    var isLoginRequestInFlight: Bool
    var password: String
  }
}

enum TicTacToeAction: ScriptAction {
  case login(LoginAction)
  case newGame(NewGameAction)

  func encoded() throws -> Value {
    switch self {
    case .login(let action): return try .action("login", action)
    case .newGame(let action): return try .action("newGame", action)
    }
  }
}

typealias TicTacToeStore = ScriptStore<TicTacToeState, TicTacToeAction>

struct LoginState: Codable, Sendable, Equatable {
  var email: String
  var isFormValid: Bool
  var isLoginRequestInFlight: Bool
  var password: String
  var alert: Value?
  var twoFactor: TwoFactorState?
}

enum LoginAction: ScriptAction {
  case loginButtonTapped
  case loginResponse(LoginResponse)
  case alert(PresentationAction<Action>)
  case twoFactor(PresentationAction<TwoFactorAction>)
  case binding(ScriptBinding<LoginState>)

  func encoded() throws -> Value {
    switch self {
    case .loginButtonTapped: return .action("loginButtonTapped")
    case .loginResponse(let action): return try .action("loginResponse", action)
    case .alert(let action): return try .action("alert", action)
    case .twoFactor(let action): return try .action("twoFactor", action)
    case .binding(let binding): return try binding.encoded()
    }
  }

  enum LoginResponse: ScriptAction {
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
}

typealias LoginStore = ScriptStore<LoginState, LoginAction>

extension ScriptBinding where State == LoginState {
  static func email(_ value: String) -> ScriptBinding {
    ScriptBinding(key: "email", value)
  }
  static func isFormValid(_ value: Bool) -> ScriptBinding {
    ScriptBinding(key: "isFormValid", value)
  }
  static func isLoginRequestInFlight(_ value: Bool) -> ScriptBinding {
    ScriptBinding(key: "isLoginRequestInFlight", value)
  }
  static func password(_ value: String) -> ScriptBinding {
    ScriptBinding(key: "password", value)
  }
  static func alert(_ value: Value?) -> ScriptBinding {
    ScriptBinding(key: "alert", value)
  }
  static func twoFactor(_ value: TwoFactorState?) -> ScriptBinding {
    ScriptBinding(key: "twoFactor", value)
  }
}

extension ScriptScope where Parent == LoginAction, State == Value, Action == Action {
  static var alert: ScriptScope { ScriptScope(of: "alert", action: "alert") }
}

extension ScriptScope where Parent == LoginAction, State == TwoFactorState, Action == TwoFactorAction {
  static var twoFactor: ScriptScope { ScriptScope(of: "twoFactor", action: "twoFactor") }
}

struct TwoFactorState: Codable, Sendable, Equatable {
  var code: String
  var isFormValid: Bool
  var isTwoFactorRequestInFlight: Bool
  var token: String
  var alert: Value?
}

enum TwoFactorAction: ScriptAction {
  case submitButtonTapped
  case twoFactorResponse(TwoFactorResponse)
  case alert(PresentationAction<Action>)
  case binding(ScriptBinding<TwoFactorState>)

  func encoded() throws -> Value {
    switch self {
    case .submitButtonTapped: return .action("submitButtonTapped")
    case .twoFactorResponse(let action): return try .action("twoFactorResponse", action)
    case .alert(let action): return try .action("alert", action)
    case .binding(let binding): return try binding.encoded()
    }
  }

  enum TwoFactorResponse: ScriptAction {
    case result(Result)

    func encoded() throws -> Value {
      switch self {
      case .result(let action): return try .action("result", action)
      }
    }

    enum Result: ScriptAction {
      case success
      case failure([String: Value] = [:])

      func encoded() throws -> Value {
        switch self {
        case .success: return .action("success")
        case .failure(let fields): return .action("failure", fields: fields)
        }
      }
    }
  }
}

typealias TwoFactorStore = ScriptStore<TwoFactorState, TwoFactorAction>

extension ScriptBinding where State == TwoFactorState {
  static func code(_ value: String) -> ScriptBinding {
    ScriptBinding(key: "code", value)
  }
  static func isFormValid(_ value: Bool) -> ScriptBinding {
    ScriptBinding(key: "isFormValid", value)
  }
  static func isTwoFactorRequestInFlight(_ value: Bool) -> ScriptBinding {
    ScriptBinding(key: "isTwoFactorRequestInFlight", value)
  }
  static func token(_ value: String) -> ScriptBinding {
    ScriptBinding(key: "token", value)
  }
  static func alert(_ value: Value?) -> ScriptBinding {
    ScriptBinding(key: "alert", value)
  }
}

extension ScriptScope where Parent == TwoFactorAction, State == Value, Action == Action {
  static var alert: ScriptScope { ScriptScope(of: "alert", action: "alert") }
}

struct NewGameState: Codable, Sendable, Equatable {
  var oPlayerName: String
  var xPlayerName: String
  var game: GameState?
}

enum NewGameAction: ScriptAction {
  case letsPlayButtonTapped
  case logoutButtonTapped([String: Value] = [:])
  case game(PresentationAction<GameAction>)
  case binding(ScriptBinding<NewGameState>)

  func encoded() throws -> Value {
    switch self {
    case .letsPlayButtonTapped: return .action("letsPlayButtonTapped")
    case .logoutButtonTapped(let fields): return .action("logoutButtonTapped", fields: fields)
    case .game(let action): return try .action("game", action)
    case .binding(let binding): return try binding.encoded()
    }
  }
}

typealias NewGameStore = ScriptStore<NewGameState, NewGameAction>

extension ScriptBinding where State == NewGameState {
  static func oPlayerName(_ value: String) -> ScriptBinding {
    ScriptBinding(key: "oPlayerName", value)
  }
  static func xPlayerName(_ value: String) -> ScriptBinding {
    ScriptBinding(key: "xPlayerName", value)
  }
  static func game(_ value: GameState?) -> ScriptBinding {
    ScriptBinding(key: "game", value)
  }
}

extension ScriptScope where Parent == NewGameAction, State == GameState, Action == GameAction {
  static var game: ScriptScope { ScriptScope(of: "game", action: "game") }
}

struct GameState: Codable, Sendable, Equatable {
  var board: [[Bool]]
  var currentPlayer: String
  var oPlayerName: String
  var xPlayerName: String
}

enum GameAction: ScriptAction {
  case cellTapped([String: Value] = [:])
  case playAgainButtonTapped
  case quitButtonTapped

  func encoded() throws -> Value {
    switch self {
    case .cellTapped(let fields): return .action("cellTapped", fields: fields)
    case .playAgainButtonTapped: return .action("playAgainButtonTapped")
    case .quitButtonTapped: return .action("quitButtonTapped")
    }
  }
}

typealias GameStore = ScriptStore<GameState, GameAction>
