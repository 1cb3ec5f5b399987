#if Server
import NIOCore

/// The pages that have gone and may come back, as when a laptop wakes up. Each costs some pointers to trees.
struct DepartedPages {
  /// In the order in which they went.
  private var pages: [Page] = []
  private let longestAbsence: TimeAmount

  static let limit = 256

  init(longestAbsence: TimeAmount) { self.longestAbsence = longestAbsence }

  /// Returns the page that is forgotten to make room.
  mutating func add(_ page: Page) -> Page? {
    page.left = .now()
    pages.append(page)
    return pages.count > DepartedPages.limit ? pages.removeFirst() : nil
  }

  /// Takes out the page with a name, if it is one of this session.
  mutating func take(_ name: String, session: String) -> Page? {
    removeOld()
    guard let index = pages.firstIndex(where: { $0.name == name && $0.session == session }) else {
      return nil
    }
    return pages.remove(at: index)
  }

  mutating func removeOld() {
    let now = NIODeadline.now()
    while let first = pages.first, first.left + longestAbsence < now {
      pages.removeFirst()
    }
  }

  func has(session: String) -> Bool { pages.contains { $0.session == session } }
}
#endif
