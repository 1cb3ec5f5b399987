import ScriptValue

/// Values to try things on: small alphabets, so that keys, ids and elements meet again.
enum RandomTree {
  static func value(_ random: inout SplitMix, depth: Int) -> Value {
    switch Int.random(in: 0..<(depth > 0 ? 12 : 7), using: &random) {
    case 0: return .null
    case 1: return .boolean(Bool.random(using: &random))
    case 2, 3: return .integer(Int64.random(in: -3...3, using: &random))
    case 4: return .float(Double(Int.random(in: -4...4, using: &random)) / 2)
    case 5, 6: return .string(["", "a", "b~/", "Mölk"].randomElement(using: &random) ?? "")
    case 7:
      return Bool.random(using: &random) ? [] : [:]
    case 8:
      let count = [0, 1, 2, 5, 20, 60].randomElement(using: &random) ?? 0
      return .array(Value.List((0..<count).map { _ in value(&random, depth: depth - 1) }))
    case 9:
      // Rows with an id, as states have them.
      let count = Int.random(in: 0...40, using: &random)
      return .array(
        Value.List(
          (0..<count).map { _ in
            [
              "id": .integer(Int64.random(in: 0...50, using: &random)),
              "x": value(&random, depth: 0),
            ]
          }))
    default:
      let count = [0, 1, 3, 6, 12, 45].randomElement(using: &random) ?? 0
      var object = Value.Object()
      for _ in 0..<count { object[key(&random)] = value(&random, depth: depth - 1) }
      return .object(object)
    }
  }

  private static func key(_ random: inout SplitMix) -> String {
    ["id", "", "~", "/"].randomElement(using: &random).flatMap {
      Bool.random(using: &random) ? $0 : nil
    } ?? "k\(Int.random(in: 0...60, using: &random))"
  }

  /// Changes one place somewhere in the tree.
  static func edit(_ value: inout Value, _ random: inout SplitMix) {
    switch value {
    case .array(var list) where !list.isEmpty:
      let index = Int.random(in: 0..<list.count, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: list.remove(at: index)
      case 1: list.insert(self.value(&random, depth: 1), at: index)
      case 2: list.append(self.value(&random, depth: 1))
      case 3:
        list.insert(
          list.remove(at: index), at: Int.random(in: 0..<max(list.count, 1), using: &random))
      default:
        var element = list[index]
        edit(&element, &random)
        list[index] = element
      }
      value = .array(list)
    case .object(var object) where !object.isEmpty:
      let old = object.keys.randomElement(using: &random) ?? ""
      switch Int.random(in: 0..<6, using: &random) {
      case 0: object[old] = nil
      case 1: object[key(&random)] = self.value(&random, depth: 1)
      case 2: object[old] = object.removeValue(forKey: old)
      case 3: object = Value.Object(object.shuffled(using: &random))
      default:
        var member = object[old] ?? .null
        edit(&member, &random)
        object[old] = member
      }
      value = .object(object)
    default:
      value = self.value(&random, depth: 1)
    }
  }
}
