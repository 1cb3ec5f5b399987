import Synchronization

/// An item that a client adds to the list of a store. No two items are the same.
struct ListItem: Hashable, Sendable, CustomStringConvertible {
  let store: String
  let number: Int

  var description: String { "\(number) of \(store)" }
}

/// What clients and readers of lists have seen, in the order of real time.
enum ListEvent: Sendable {
  /// A client is about to send the item; again with the same item for a retry.
  case invoke(ListItem)
  case ok(ListItem)
  /// The answer says that nothing was done.
  case fail(ListItem)
  /// There was no answer, so that the item may be there.
  case unknown(ListItem)
  /// A list as it was seen. Reads of a store do not overlap.
  case read(store: String, numbers: [Int])
}

/// What is wrong with lists, judged by what was seen of them.
enum ListFault: Hashable, CustomStringConvertible {
  case lost(ListItem)
  case twice(ListItem)
  case failedButThere(ListItem)
  case notSent(ListItem)
  /// The first was acknowledged before the second was sent, and stands after it.
  case reordered(ListItem, ListItem)
  case readIsNoPrefix(store: String, count: Int)
  case readWentBack(store: String, count: Int)

  var description: String {
    switch self {
    case .lost(let item): "\(item) was acknowledged, and is not there"
    case .twice(let item): "\(item) is there more than once"
    case .failedButThere(let item): "\(item) failed, and is there"
    case .notSent(let item): "\(item) is there, and nobody sent it"
    case .reordered(let first, let second):
      "\(first) was acknowledged before \(second) was sent, and stands after it"
    case .readIsNoPrefix(let store, let count):
      "a read of \(store) with \(count) items is no prefix of the list"
    case .readWentBack(let store, let count):
      "a read of \(store) with \(count) items came after one with more"
    }
  }
}

/// Judges lists by what was seen of them.
///
/// - Parameters:
///   - events: what was seen.
///   - lists: the lists as they are in the end, by their stores.
func faults(of events: [ListEvent], in lists: [String: [Int]]) -> Set<ListFault> {
  var faults: Set<ListFault> = []
  var invoked: [ListItem: Int] = [:]
  var acknowledged: [ListItem: Int] = [:]
  // An item fails only if its last answer says so, and none before it said anything else.
  var failed: Set<ListItem> = []
  var uncertain: Set<ListItem> = []
  var lengths: [String: Int] = [:]
  for (time, event) in events.enumerated() {
    switch event {
    case .invoke(let item):
      if invoked[item] == nil { invoked[item] = time }
      failed.remove(item)
    case .ok(let item): if acknowledged[item] == nil { acknowledged[item] = time }
    case .fail(let item): failed.insert(item)
    case .unknown(let item): uncertain.insert(item)
    case .read(let store, let numbers):
      if !(lists[store] ?? []).starts(with: numbers) {
        faults.insert(.readIsNoPrefix(store: store, count: numbers.count))
      }
      if numbers.count < lengths[store, default: 0] {
        faults.insert(.readWentBack(store: store, count: numbers.count))
      }
      lengths[store] = max(numbers.count, lengths[store, default: 0])
    }
  }

  var present: Set<ListItem> = []
  for (store, numbers) in lists {
    let items = numbers.map { ListItem(store: store, number: $0) }
    for item in items {
      if !present.insert(item).inserted { faults.insert(.twice(item)) }
      if invoked[item] == nil { faults.insert(.notSent(item)) }
    }
    // The item that was acknowledged first of those that stand after the one at hand.
    var first: (item: ListItem, time: Int)?
    for item in items.reversed() {
      if let first, let time = invoked[item], first.time < time {
        faults.insert(.reordered(first.item, item))
      }
      if let time = acknowledged[item], time < first?.time ?? .max { first = (item, time) }
    }
  }
  for item in acknowledged.keys where !present.contains(item) { faults.insert(.lost(item)) }
  for item in failed.subtracting(uncertain) where acknowledged[item] == nil {
    if present.contains(item) { faults.insert(.failedButThere(item)) }
  }
  return faults
}

/// Events as they come from several clients.
final class ListEvents: Sendable {
  private let events = Mutex<[ListEvent]>([])

  var all: [ListEvent] { events.withLock { $0 } }

  func add(_ event: ListEvent) { events.withLock { $0.append(event) } }
}
