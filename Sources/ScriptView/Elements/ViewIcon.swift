import ScriptValue

/// The icons that views know by names, and how those are drawn that have only characters.
///
/// The names and shapes are those of Lucide. The shapes are in `Sources/ScriptedStoreServer/Page/icons`. A text without
/// a letter from A to Z, as `★`, is no name: it is shown as it is.
public enum ViewIcon {
  /// All names, sorted.
  public static let names: [String] = signs.keys.sorted()

  /// Why a text is no icon, as `there is no icon "stra"; did you mean 'star'?`; nil for the name of an icon, and for
  /// a text that is shown as it is.
  package static func fault(of text: String) -> String? {
    guard isName(text), signs[text] == nil else { return nil }
    return "there is no icon \"\(text)\""
      + (nearest(to: text).map { "; did you mean '\($0)'?" } ?? "")
  }

  /// Whether only an icon of this name can be meant.
  package static func isName(_ text: String) -> Bool {
    text.utf8.contains { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 }
  }

  /// The known name that a misspelt one, or one of another set, may mean.
  package static func nearest(to name: String) -> String? {
    synonyms[name] ?? Suggestion.nearest(to: name, in: names)
  }

  /// A character for the icon: of a text that is no name the text itself. Nil if none fits.
  static func sign(of text: String) -> String? {
    isName(text) ? signs[text]?.map(String.init) : text
  }

  /// What other sets call an icon that is here.
  private static let synonyms = [
    "add": "plus", "alert": "triangle-alert", "back": "arrow-left", "close": "x", "cog": "settings",
    "done": "check", "edit": "square-pen", "email": "mail", "error": "circle-alert",
    "favorite": "heart", "filter": "funnel", "gear": "settings", "help": "circle-question-mark",
    "home": "house", "location": "map-pin", "more": "ellipsis", "picture": "image",
    "refresh": "refresh-cw", "remove": "minus", "time": "clock", "warning": "triangle-alert",
  ]

  private static let signs: [String: Character?] = {
    var signs: [String: Character?] = [:]
    for entry in table.split(whereSeparator: \.isWhitespace) {
      let parts = entry.split(separator: ":")
      signs[String(parts[0])] = .some(parts.dropFirst().first?.first)
    }
    return signs
  }()

  /// Names, each with a character if one fits.
  private static let table = """
    activity alarm-clock archive:▤ arrow-down:↓ arrow-down-up:↕ arrow-left:← arrow-left-right:↔
    arrow-right:→ arrow-up:↑ arrow-up-down:↕ arrow-up-right:↗ at-sign:@ award ban:⊘ banknote
    battery bell bell-off bike bold book book-open bookmark box briefcase bug building bus
    calculator calendar calendar-days camera car chart-bar chart-column chart-line chart-pie
    check:✓ check-check:✓ chevron-down:▾ chevron-left:‹ chevron-right:› chevron-up:▴
    chevrons-left:« chevrons-right:» circle:○ circle-alert:! circle-check:✓ circle-dot:◉
    circle-minus:⊖ circle-pause circle-play circle-plus:⊕ circle-question-mark:? circle-user
    circle-x:⊗ clipboard clipboard-check clipboard-list clock cloud:☁ cloud-download cloud-off
    cloud-rain cloud-upload code coffee command:⌘ contact copy:⧉ corner-down-left:↵ credit-card
    crown database delete:⌫ dollar-sign:$ dot:· download:↓ droplet ellipsis:…
    ellipsis-vertical:⋮ equal:= euro:€ external-link:↗ eye eye-off file file-text film flag:⚑
    flame folder folder-open funnel gauge gift git-branch globe graduation-cap grid-2x2
    grip-vertical hammer hand hard-drive hash:# headphones heart:♥ house:⌂ image images inbox
    info:i italic key keyboard:⌨ languages laptop layers layout-dashboard layout-grid leaf
    library lightbulb link list list-checks list-filter list-ordered list-todo loader:… lock
    lock-open log-in log-out mail:✉ mail-open map map-pin maximize:⤢ menu:≡ message-circle
    message-square mic mic-off minimize minus:− monitor moon:☾ move:✥ music:♪ navigation
    notebook package palette paperclip pause:‖ pen:✎ pencil:✎ percent:% phone:☎ pin pin-off
    plane play:▶ plug plus:+ pointer power printer puzzle quote:" radio receipt redo:↷
    refresh-ccw:↺ refresh-cw:↻ repeat:↻ reply rocket rotate-ccw:↺ rotate-cw:↻ route ruler save:▣
    scale scissors:✂ search:⌕ send server settings:⚙ share share-2 shield shield-check ship
    shopping-cart shuffle slash:/ sliders-horizontal smartphone snowflake:❄ sparkles:✦ square:□
    square-check:☑ square-pen:✎ star:★ star-off:☆ store sun:☀ table tablet tag tags target
    terminal:❯ thermometer thumbs-down thumbs-up ticket timer toggle-left toggle-right trash
    trash-2 trending-down trending-up triangle:△ triangle-alert:⚠ trophy truck type umbrella:☂
    underline undo:↶ unlink upload:↑ user user-check user-minus user-plus user-x users utensils
    video video-off volume volume-2 volume-x wallet watch wifi wifi-off wrench x:✕ zap zoom-in
    zoom-out
    """
}

extension ViewNode {
  /// The character of the icon of a button or menu, with a blank after it. Empty if there is none.
  var iconPrefix: String {
    let sign = string("icon").flatMap { ViewIcon.sign(of: $0) } ?? ""
    return sign.isEmpty ? "" : sign + " "
  }
}
