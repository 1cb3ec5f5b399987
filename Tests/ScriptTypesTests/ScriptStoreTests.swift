import Foundation
import ScriptedStore
import Synchronization
import Testing

/// A store with types.
struct ScriptStoreTests {
  private final class Heard: Sendable {
    let errors = Mutex<[String]>([])
  }

  private let clock = VirtualClock()
  private let heard = Heard()

  private func store(_ feature: String, state: Value? = nil) throws -> Store {
    let host = try ScriptHost(
      root: repository.appending(path: "scripts").path,
      configuration: .init(
        clock: clock,
        onError: { [heard] error, action in
          heard.errors.withLock { $0.append("\(action.path): \(error)") }
        }))
    return try host.store(feature, state: state)
  }

  @Test func actionsOfElementsOwnOnesAndBindingsAreSentAndMembersReadTheState() throws {
    let store = try TodosStore(store("todos"))
    store.send(.addTodoButtonTapped)
    store.send(.addTodoButtonTapped)
    #expect(store.todos.map(\.id) == [2, 1])
    store.send(.todos(id: 1, .toggle))
    store.send(.todos(id: 1, .binding(.description("Milk"))))
    #expect(store.todos[1] == TodoState(id: 1, description: "Milk", isComplete: true))
    store.send(.binding(.isEditing(true)))
    store.send(.setFilter(["filter": "active"]))
    #expect(store.isEditing)
    #expect(store.filter == "active")
    #expect(heard.errors.withLock { $0 } == [])
  }

  @Test func anElementHasAStoreWhichKeepsItsLastStateWhenItGoes() throws {
    let store = try TodosStore(store("todos"))
    store.send(.addTodoButtonTapped)
    let row = try store.scope(.todos(id: 1))
    row.send(.toggle)
    #expect(row.isComplete)
    store.send(.clearCompletedButtonTapped)
    #expect(!row.isPresent)
    #expect(row.isComplete)
    #expect(throws: ValueTypeError.self) { try row.decodedState() }
    #expect(throws: ValueTypeError.self) { try store.scope(.todos(id: 1)) }
    #expect(heard.errors.withLock { $0 } == [])
  }

  @Test func aPresentedChildIsSentActionsDismissedAndNullWhileItIsNotThere() throws {
    let store = try OptionalStateStore(store("case_studies.optional_state"))
    #expect(store.optionalCounter == nil)
    store.send(.toggleCounterButtonTapped)
    store.send(.optionalCounter(.presented(.increment(["by": 2]))))
    #expect(store.optionalCounter?.count == 2)
    store.send(.optionalCounter(.dismiss))
    #expect(store.optionalCounter == nil)
  }

  @Test func casesAreAnEnumAndEncodeAsTheyAreDecoded() throws {
    let store = try MultipleDestinationsStore(store("case_studies.multiple_destinations"))
    store.send(.showSheet)
    store.send(.destination(.presented(.sheet(.increment()))))
    #expect(store.destination == .sheet(CounterState(count: 1)))
    #expect(try Value(encoding: store.destination) == ["sheet": ["count": 1]])
  }

  @Test func aFeatureInItselfHasTypesThatContainThemselves() throws {
    let child: Value = ["id": "b", "name": "", "rows": []]
    let root: Value = ["id": "a", "name": "", "rows": [child]]
    let store = try NestedStore(store("case_studies.recursion", state: ["rows": [root]]))
    store.send(.rows(id: "a", .rows(id: "b", .nameTextFieldChanged(["value": "deep"]))))
    #expect(store.rows[0].rows[0].name == "deep")
  }

  @Test func observersAndSequencesGetTheState() async throws {
    let store = try CounterStore(store("counter"))
    let counts = Mutex<[Int]>([])
    let observation = store.observe { state in counts.withLock { $0.append(state.count) } }
    store.send(.increment())
    store.send(.increment(["by": 2]))
    observation.cancel()
    #expect(counts.withLock { $0 } == [1, 3])
    for await state in store.values() {
      #expect(state.count == 3)
      break
    }
  }

  @Test func aStateOfAnotherTypeIsAnErrorAtTheStartWithItsPlace() throws {
    let todo: Value = ["id": 1, "description": 5, "isComplete": false]
    let bad = try store("todos", state: ["todos": [todo]])
    #expect {
      try TodosStore(bad)
    } throws: { error in
      "\(error)" == "todos[0].description: expected String, found an integer"
    }
    #expect {
      try ScriptStore<CounterState, CounterAction>(self.store("todos"))
    } throws: { error in
      "\(error)" == "count: expected Int, found nothing"
    }
  }

  @Test func laterItIsReportedOnceAndTheStateStaysTheLastThatFitted() throws {
    let plain = try store("todos")
    let store = try TodosStore(plain)
    store.send(.binding(.path("filter", 3)))
    #expect(store.filter == "all")
    #expect(store.nextId == 1)
    let errors = heard.errors.withLock { $0 }
    #expect(errors.count == 1)
    #expect(
      errors.first?.hasPrefix(
        "state: the state is of another type: filter: expected String, found an integer; annotate")
        == true)
    #expect(throws: ValueTypeError.self) { try store.decodedState() }
    store.send(.binding(.filter("active")))
    #expect(store.filter == "active")
  }

  @Test func anActionThatCannotBeSentIsReportedAndNothingElseHappens() throws {
    let store = try NestedStore(store("case_studies.recursion"))
    var action = NestedAction.addRowButtonTapped
    for _ in 0..<200 { action = .rows(id: "a", action) }
    store.send(action)
    #expect(heard.errors.withLock { $0 }.first?.hasPrefix("send: the action ") == true)
    let before = store.rows
    let counter = try CounterStore(self.store("counter"))
    counter.send(.increment(["by": .float(.nan)]))
    #expect(store.rows == before)
  }

  @Test func stacksHaveIdsBesideTheirCases() throws {
    typealias State = MultipleDestinationsDestinationState
    typealias Stack = StackAction<State, MultipleDestinationsDestinationAction>
    let element = StackElement(id: 3, state: State.sheet(.init(count: 1)))
    let value = try Value(encoding: element)
    #expect(value == ["id": 3, "sheet": ["count": 1]])
    #expect(try value.decoded(as: StackElement<State>.self) == element)
    let actions: [Stack] = [
      .popFrom(id: 3), .push(.sheet(.init(count: 1))), .element(id: 3, .sheet(.reset)),
    ]
    #expect(
      try actions.map { try Action(Value.action("path", $0)).path }
        == ["path.popFrom", "path.push", "path[3].sheet.reset"])
  }
}
