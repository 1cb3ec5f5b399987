import LuaBridge
import ScriptedStore
import Testing

/// Actions as tables.
struct ActionTests {
  @Test func aTableWithATypeIsAnAction() throws {
    let action = try Action(["type": "increment", "by": 2])
    #expect(action.path == "increment")
    #expect(action.payload["by"] == 2)
    #expect(action.payload["type"] == nil)
    #expect(action.description == "increment { by = 2 }")
  }

  @Test func nestedActionsReadAsAPath() throws {
    let action = try Action([
      "type": "rooms",
      "action": ["type": "todos", "id": 3, "action": ["type": "rename", "to": "Milk"]],
    ])
    #expect(action.path == "rooms.todos[3].rename")
    #expect(action.payload == ["to": "Milk"])
  }

  @Test func idsAreWrittenSoThatTheyReadBack() throws {
    for id: Value in [1, -7, "a", "1", "*", "a]b", "say \"hi\"", "", "ä.b", "a b"] {
      let action = try Action(["type": "rows", "id": id, "action": ["type": "go"]])
      #expect(try Action(path: action.path) == action, "\(action.path)")
    }
  }

  @Test func aFloatIDShowsInThePath() throws {
    let action = try Action(["type": "rows", "id": 2.0, "action": ["type": "go"]])
    #expect(action.path == "rows[2].go")
  }

  @Test func aBindingShowsItsKey() throws {
    let action = try Action(["type": "binding", "key": "user.name", "value": "Blob"])
    #expect(action.path == "binding.user.name")
    #expect(try Action(path: "binding.user.name", payload: "Blob") == action)
  }

  @Test func anActionWithoutPayloadIsDescribedByItsPath() throws {
    #expect(try Action(path: "a[\"1\"].b").description == "a[\"1\"].b")
  }

  @Test(
    arguments: [
      (Value.null, "an action is a table with a type, not null"),
      (5, "an action is a table with a type, not 5"),
      ("increment", "an action is a table with a type"),
      ([], "has no type"),
      ([1, 2], "an action is a table with a type"),
      (.object([:]), "has no type"),
      (["by": 1], "has no type"),
      (["type": 3], "has no type"),
      (["type": nil], "has no type"),
      (["type": ""], "the type of an action is empty"),
      (["type": "child", "action": ["by": 1]], "in child: "),
      (["type": "a", "action": ["type": "b", "action": ["type": 1]]], "in a: in b: "),
    ] as [(Value, String)]) func whatIsNoActionIsRefusedWithTheReason(
      _ value: Value, _ reason: String
    )
  {
    let error = #expect(throws: ActionError.self) { try Action(value) }
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
  }

  @Test func theTypeWinsOverAFieldOfThatName() throws {
    let action = try Value.action("add", .field("type", "removeAll"), .field("n", 1))
    #expect(action == ["type": "add", "n": 1])
    #expect(Value.action("add", fields: ["type": "removeAll", "n": 1]) == action)
  }

  @Test func anEncodableBecomesATableOrAPath() throws {
    struct Rename: Encodable {
      var type = "rename"
      var title: String
    }
    let rename = try Action(encoding: Rename(title: "Milk"))
    #expect(rename.value == ["type": "rename", "title": "Milk"])
    #expect(try Action(encoding: "todos[1].go").path == "todos[1].go")
    #expect(throws: ActionError.self) { try Action(encoding: ["title": "no type"]) }
    #expect(throws: ActionError.self) { try Action(encoding: "todos[") }
    #expect(throws: ActionError.self) { try Action(encoding: 3) }
  }

  @Test func anActionOfTheGreatestDepthIsAnAction() throws {
    var value: Value = ["type": "leaf"]
    for _ in 1..<128 { value = ["type": "up", "action": value] }
    #expect(try Action(value).path.hasSuffix("up.leaf"))
    let deeper: Value = ["type": "up", "action": value]
    #expect(throws: ActionError.self) { try Action(deeper) }
  }
}
