/// What to write for the functions of lists that other languages have and Lua has not.
package enum ListRemedy {
  private static let remedies: [String: String] = {
    let ways = [
      (["append", "push", "add", "pushBack"], "write 'table.insert(list, x)'"),
      (["insert"], "write 'table.insert(list, index, x)'"),
      (["remove", "removeAt"], "write 'table.remove(list, index)'"),
      (["pop", "removeLast"], "write 'table.remove(list)'"),
      (["removeFirst", "shift"], "write 'table.remove(list, 1)'"),
      (["count", "length", "len", "size"], "write '#list'"),
      (["isEmpty", "empty"], "write '#list == 0'"),
      (["first"], "write 'list[1]'"),
      (["last"], "write 'list[#list]'"),
      (["get", "at"], "write 'list[index]'"),
      (["sort"], "write 'table.sort(list)'"),
      (["join", "joined"], "write 'table.concat(list, \", \")'"),
      (["contains"], "write 'scripted.list.any(list, fn)'"),
      (["filter"], "write 'scripted.list.filter(list, fn)'"),
      (["map"], "write 'scripted.list.map(list, fn)'"),
      (
        ["each", "enumerated", "forEach", "reduce"],
        "go through it with 'for index, x in ipairs(list) do … end'"
      ),
    ]
    return Dictionary(
      uniqueKeysWithValues: ways.flatMap { names, remedy in names.map { ($0, remedy) } })
  }()

  /// The remedy for a function of this name; nil if there is none.
  package static func remedy(for name: String) -> String? { remedies[name] }
}
