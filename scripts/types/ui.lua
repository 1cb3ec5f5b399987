---@meta scripted.ui

-- What `require "scripted.ui"` gives, for the Lua language server. A test makes this file of the table of
-- elements, and says how it is written anew when the table has changed.

---@class scripted.ui
local ui = {}

---What a view returns, and the children of a node. A string or number is a text; false and nil are nothing,
---and keep their position.
---@alias scripted.ui.Node table|string|number|false|nil

---A path (`"save"`), a list of a path and a payload (`{ "rename", { title = "Milk" } }`), or an
---action's table. What the element adds, as `value`, is merged into the payload.
---@alias scripted.ui.Action string|scripted.Action|{ [1]: string, [2]: any }

---What a view finds beside the state: these, and what the placing view has passed.
---@class scripted.ui.Environment
---@field width "compact"|"regular"
---@field platform string "web", "terminal", "text", or the host's own name
---@field colorScheme "light"|"dark"
---@field locale string
---@field isSelected? boolean in a row: whether it is the selected one of its list
---@field [string] any

---@class scripted.ui.Option
---@field value any what the state gets
---@field label string|number

---A colour of the theme, or `#rrggbb`.
---@alias scripted.ui.Colour "text"|"secondary"|"accent"|"success"|"warning"|"danger"|"line"|"fill"|"card"|"none"|string

---@class scripted.ui.Shape
---@field kind "line"|"rect"|"circle"|"path"|"text"
---@field x1? number of a line
---@field y1? number of a line
---@field x2? number of a line
---@field y2? number of a line
---@field x? number of a rect the left side, of a circle the centre, of a text where it is anchored
---@field y? number of a rect the upper side, of a circle the centre, of a text its base line
---@field width? number of a rect
---@field height? number of a rect
---@field radius? number of a circle, or of the corners of a rect
---@field d? string of a path, as in SVG: "M0 0 L10 10"
---@field text? string|number of a text
---@field size? number of the letters of a text
---@field anchor? "start"|"middle"|"end" which part of a text is at `x`
---@field fill? scripted.ui.Colour "text" if absent, and of lines and paths "none"
---@field stroke? scripted.ui.Colour "none" if absent, and of lines and paths "text"
---@field strokeWidth? number 1 if absent
---@field opacity? number from 0 to 1
---@field label? string|number what it is called, if it can be tapped
---@field onTap? scripted.ui.Action what it sends, which makes it a button
---@field disabled? boolean whether it cannot be tapped

---A file that a person has chosen. Its bytes are in the host's folder, at `path` for `deps.files`.
---@class scripted.ui.File
---@field name string as the person's machine has it
---@field type string its media type, as "image/png"; empty if it is not known
---@field size integer in bytes
---@field path string

---@class scripted.ui.Column
---@field title string|number
---@field grow? boolean
---@field align? "start"|"center"|"end"|"stretch"

---The name of an icon of Lucide, or a text without letters that is shown as it is.
---@alias scripted.ui.Icon
---| "activity"|"alarm-clock"|"archive"|"arrow-down"|"arrow-down-up"|"arrow-left"|"arrow-left-right"
---| "arrow-right"|"arrow-up"|"arrow-up-down"|"arrow-up-right"|"at-sign"|"award"|"ban"|"banknote"|"battery"
---| "bell"|"bell-off"|"bike"|"bold"|"book"|"book-open"|"bookmark"|"box"|"briefcase"|"bug"|"building"|"bus"
---| "calculator"|"calendar"|"calendar-days"|"camera"|"car"|"chart-bar"|"chart-column"|"chart-line"
---| "chart-pie"|"check"|"check-check"|"chevron-down"|"chevron-left"|"chevron-right"|"chevron-up"
---| "chevrons-left"|"chevrons-right"|"circle"|"circle-alert"|"circle-check"|"circle-dot"|"circle-minus"
---| "circle-pause"|"circle-play"|"circle-plus"|"circle-question-mark"|"circle-user"|"circle-x"|"clipboard"
---| "clipboard-check"|"clipboard-list"|"clock"|"cloud"|"cloud-download"|"cloud-off"|"cloud-rain"
---| "cloud-upload"|"code"|"coffee"|"command"|"contact"|"copy"|"corner-down-left"|"credit-card"|"crown"
---| "database"|"delete"|"dollar-sign"|"dot"|"download"|"droplet"|"ellipsis"|"ellipsis-vertical"|"equal"
---| "euro"|"external-link"|"eye"|"eye-off"|"file"|"file-text"|"film"|"flag"|"flame"|"folder"|"folder-open"
---| "funnel"|"gauge"|"gift"|"git-branch"|"globe"|"graduation-cap"|"grid-2x2"|"grip-vertical"|"hammer"|"hand"
---| "hard-drive"|"hash"|"headphones"|"heart"|"house"|"image"|"images"|"inbox"|"info"|"italic"|"key"
---| "keyboard"|"languages"|"laptop"|"layers"|"layout-dashboard"|"layout-grid"|"leaf"|"library"|"lightbulb"
---| "link"|"list"|"list-checks"|"list-filter"|"list-ordered"|"list-todo"|"loader"|"lock"|"lock-open"|"log-in"
---| "log-out"|"mail"|"mail-open"|"map"|"map-pin"|"maximize"|"menu"|"message-circle"|"message-square"|"mic"
---| "mic-off"|"minimize"|"minus"|"monitor"|"moon"|"move"|"music"|"navigation"|"notebook"|"package"|"palette"
---| "paperclip"|"pause"|"pen"|"pencil"|"percent"|"phone"|"pin"|"pin-off"|"plane"|"play"|"plug"|"plus"
---| "pointer"|"power"|"printer"|"puzzle"|"quote"|"radio"|"receipt"|"redo"|"refresh-ccw"|"refresh-cw"|"repeat"
---| "reply"|"rocket"|"rotate-ccw"|"rotate-cw"|"route"|"ruler"|"save"|"scale"|"scissors"|"search"|"send"
---| "server"|"settings"|"share"|"share-2"|"shield"|"shield-check"|"ship"|"shopping-cart"|"shuffle"|"slash"
---| "sliders-horizontal"|"smartphone"|"snowflake"|"sparkles"|"square"|"square-check"|"square-pen"|"star"
---| "star-off"|"store"|"sun"|"table"|"tablet"|"tag"|"tags"|"target"|"terminal"|"thermometer"|"thumbs-down"
---| "thumbs-up"|"ticket"|"timer"|"toggle-left"|"toggle-right"|"trash"|"trash-2"|"trending-down"|"trending-up"
---| "triangle"|"triangle-alert"|"trophy"|"truck"|"type"|"umbrella"|"underline"|"undo"|"unlink"|"upload"
---| "user"|"user-check"|"user-minus"|"user-plus"|"user-x"|"users"|"utensils"|"video"|"video-off"|"volume"
---| "volume-2"|"volume-x"|"wallet"|"watch"|"wifi"|"wifi-off"|"wrench"|"x"|"zap"|"zoom-in"|"zoom-out"
---| string

---What any element may have.
---@class scripted.ui.Element
---@field align? "start"|"center"|"end"|"stretch" where it stands
---@field animation? any becomes the transaction of its actions
---@field announce? boolean whether it is read out when it comes and when it changes
---@field class? string for the browser alone: a class of your style sheet
---@field decorative? boolean whether it is there for its looks, and needs no name
---@field grow? boolean whether it takes the room that is left
---@field hint? string|number a longer explanation
---@field label? string|number what it is called
---@field name? string by which `focus` and `tabs` know it
---@field onAppear? scripted.ui.Action is sent when it appears
---@field task? scripted.ui.Action is sent when it appears; its effects end when it goes
---@field tone? "neutral"|"accent"|"success"|"warning"|"danger"|"secondary" how it is meant

---What an element with children may have.
---@class scripted.ui.Container: scripted.ui.Element
---@field [integer] scripted.ui.Node
---@field alert? string the action path of a child that is presented as an alert
---@field cover? string the action path of a child that covers the whole screen
---@field dialog? string the action path of a child that is presented as a dialog
---@field disabled? boolean whether nothing can be done with it
---@field focus? string the field of the state that has the `name` of the focused field; absent for none
---@field popover? string the action path of a child that is presented beside it
---@field sheet? string the action path of a child that is presented above this
---@field spacing? "none"|"small"|"medium"|"large" the room between its children

---What one enters something with.
---@class scripted.ui.Control: scripted.ui.Element
---@field bind? string the dotted path of the field of the state that it shows and changes
---@field disabled? boolean whether nothing can be done with it
---@field error? string|number what is wrong with what was entered
---@field labelHidden? boolean whether the label is only read out
---@field onChange? scripted.ui.Action is sent with the `value` that was entered
---@field shortcut? string keys, as "mod+n"
---@field value? any what is shown, where nothing is bound

---@class scripted.ui.text: scripted.ui.Element
---@field [1]? string|number its text
---@field style? "title"|"headline"|"body"|"caption"|"code" how it looks
---@field text? string|number its text

---A text.
---@param properties? scripted.ui.text|string|number
---@return scripted.ui.Node
function ui.text(properties) end

---@class scripted.ui.heading: scripted.ui.Element
---@field [1]? string|number its text
---@field level? integer from 1, the topmost
---@field text? string|number its text

---A heading.
---@param properties? scripted.ui.heading|string|number
---@return scripted.ui.Node
function ui.heading(properties) end

---@class scripted.ui.image: scripted.ui.Element
---@field file? string|scripted.ui.File the path of a file of the host, or what `ui.file` has entered
---@field height? number in points, as it is in the file if absent
---@field source? string http, https, or the path of a file of `--assets`
---@field width? number in points, as it is in the file if absent

---A picture, by its address.
---@param properties? scripted.ui.image
---@return scripted.ui.Node
function ui.image(properties) end

---@class scripted.ui.icon: scripted.ui.Element
---@field [1]? scripted.ui.Icon its name
---@field text? scripted.ui.Icon its name

---A small picture, by its name.
---@param properties? scripted.ui.icon|scripted.ui.Icon
---@return scripted.ui.Node
function ui.icon(properties) end

---@class scripted.ui.progress: scripted.ui.Element
---@field max? number 1 if absent
---@field style? "bar"|"spinner" how it looks
---@field value? number from 0 to `max`

---How far something is; without a value that something goes on.
---@param properties? scripted.ui.progress
---@return scripted.ui.Node
function ui.progress(properties) end

---@class scripted.ui.divider: scripted.ui.Element

---A line between what is around it.
---@param properties? scripted.ui.divider
---@return scripted.ui.Node
function ui.divider(properties) end

---@class scripted.ui.spacer: scripted.ui.Element

---Room between what is around it.
---@param properties? scripted.ui.spacer
---@return scripted.ui.Node
function ui.spacer(properties) end

---@class scripted.ui.badge: scripted.ui.Element
---@field [1]? string|number its text
---@field text? string|number its text

---A short text that stands out, as a number of new messages.
---@param properties? scripted.ui.badge|string|number
---@return scripted.ui.Node
function ui.badge(properties) end

---@class scripted.ui.date: scripted.ui.Element
---@field style? "date"|"time"|"dateTime"|"relative" how it looks
---@field value? string the date

---A date, from ISO text.
---@param properties? scripted.ui.date
---@return scripted.ui.Node
function ui.date(properties) end

---@class scripted.ui.number: scripted.ui.Element
---@field currency? string its code, as "EUR"
---@field digits? number how many are behind the point
---@field style? "decimal"|"percent"|"currency"|"bytes" how it looks
---@field value? number the number

---A number, as people write it.
---@param properties? scripted.ui.number
---@return scripted.ui.Node
function ui.number(properties) end

---@class scripted.ui.canvas: scripted.ui.Element
---@field height? number in points
---@field shapes? scripted.ui.Shape[] what it draws, the later above the earlier
---@field width? number in points

---A drawing of lines, circles and other shapes.
---@param properties? scripted.ui.canvas
---@return scripted.ui.Node
function ui.canvas(properties) end

---@class scripted.ui.button: scripted.ui.Element
---@field [1]? string|number its text
---@field action? scripted.ui.Action what it sends
---@field copy? string a text for the clipboard, in place of an action
---@field disabled? boolean whether nothing can be done with it
---@field icon? scripted.ui.Icon the name of an icon, which stands before its text
---@field role? "primary"|"cancel"|"destructive" what it means: the main thing to do, leaving, or a loss
---@field shortcut? string keys, as "mod+n"
---@field style? "plain"|"bordered"|"prominent" how it looks
---@field text? string|number its text

---Sends an action, or copies a text.
---@param properties? scripted.ui.button|string|number
---@return scripted.ui.Node
function ui.button(properties) end

---@class scripted.ui.link: scripted.ui.Element
---@field [1]? string|number its text
---@field action? scripted.ui.Action what it sends
---@field disabled? boolean whether nothing can be done with it
---@field file? string|scripted.ui.File the path of a file of the host, or what `ui.file` has entered
---@field href? string http, https, mailto or relative
---@field shortcut? string keys, as "mod+n"
---@field text? string|number its text

---Sends an action, leads to an address, or gives a file.
---@param properties? scripted.ui.link|string|number
---@return scripted.ui.Node
function ui.link(properties) end

---@class scripted.ui.menu: scripted.ui.Container
---@field icon? scripted.ui.Icon the name of an icon, which stands before its text
---@field labelHidden? boolean whether the label is only read out
---@field shortcut? string keys, as "mod+n"

---Buttons that open.
---@param properties? scripted.ui.menu
---@return scripted.ui.Node
function ui.menu(properties) end

---@class scripted.ui.toast: scripted.ui.Element
---@field [1]? string|number its text
---@field action? scripted.ui.Action what it sends
---@field button? string|number what its action is called, "Undo" if absent
---@field disabled? boolean whether nothing can be done with it
---@field shortcut? string keys, as "mod+n"
---@field text? string|number its text

---A short note over the end of the screen, with one action. It covers nothing and takes no focus.
---@param properties? scripted.ui.toast|string|number
---@return scripted.ui.Node
function ui.toast(properties) end

---@class scripted.ui.textField: scripted.ui.Control
---@field keyboard? "text"|"email"|"url"|"number"|"phone" which one a phone shows
---@field onSubmit? scripted.ui.Action is sent when what was entered is complete
---@field prompt? string|number what an empty field shows
---@field style? "search" how it looks

---A line of text.
---@param properties? scripted.ui.textField
---@return scripted.ui.Node
function ui.textField(properties) end

---@class scripted.ui.secureField: scripted.ui.Control
---@field onSubmit? scripted.ui.Action is sent when what was entered is complete
---@field prompt? string|number what an empty field shows

---A line of text that is not shown.
---@param properties? scripted.ui.secureField
---@return scripted.ui.Node
function ui.secureField(properties) end

---@class scripted.ui.textEditor: scripted.ui.Control
---@field lines? integer how many are shown
---@field onSubmit? scripted.ui.Action is sent when what was entered is complete
---@field prompt? string|number what an empty field shows

---Some lines of text.
---@param properties? scripted.ui.textEditor
---@return scripted.ui.Node
function ui.textEditor(properties) end

---@class scripted.ui.toggle: scripted.ui.Control
---@field style? "checkbox"|"switch" how it looks

---Enters true or false.
---@param properties? scripted.ui.toggle
---@return scripted.ui.Node
function ui.toggle(properties) end

---@class scripted.ui.picker: scripted.ui.Control
---@field options? (string|number|scripted.ui.Option)[] texts, numbers, or values with labels
---@field style? "menu"|"segmented"|"radio" how it looks

---Chooses one of some options.
---@param properties? scripted.ui.picker
---@return scripted.ui.Node
function ui.picker(properties) end

---@class scripted.ui.slider: scripted.ui.Control
---@field max? number the most that can be entered
---@field min? number the least that can be entered
---@field step? number the least difference of two values

---Chooses a number of a range.
---@param properties? scripted.ui.slider
---@return scripted.ui.Node
function ui.slider(properties) end

---@class scripted.ui.stepper: scripted.ui.Control
---@field max? number the most that can be entered
---@field min? number the least that can be entered
---@field step? number the least difference of two values

---Chooses a number, step by step.
---@param properties? scripted.ui.stepper
---@return scripted.ui.Node
function ui.stepper(properties) end

---@class scripted.ui.datePicker: scripted.ui.Control
---@field max? string the most that can be entered
---@field min? string the least that can be entered
---@field style? "date"|"time"|"dateTime" how it looks

---Enters a date, as ISO text.
---@param properties? scripted.ui.datePicker
---@return scripted.ui.Node
function ui.datePicker(properties) end

---@class scripted.ui.file: scripted.ui.Control
---@field accept? string|string[] the kinds it takes, as ".png" or "image/*"; all if absent
---@field maxBytes? integer the largest file in bytes, 10 MiB if absent

---Takes a file of the person, which the host keeps.
---@param properties? scripted.ui.file
---@return scripted.ui.Node
function ui.file(properties) end

---@class scripted.ui.row: scripted.ui.Container
---@field wrap? boolean whether children that do not fit go to the next line

---Children beside each other.
---@param properties? scripted.ui.row
---@return scripted.ui.Node
function ui.row(properties) end

---@class scripted.ui.column: scripted.ui.Container

---Children below each other.
---@param properties? scripted.ui.column
---@return scripted.ui.Node
function ui.column(properties) end

---@class scripted.ui.columns: scripted.ui.Container
---@field bind? string the dotted path of the field of the state that it shows and changes
---@field compact? "tabs" what it is where `env.width` is "compact": its children below each other if absent
---@field onChange? scripted.ui.Action is sent with the `value` that was entered
---@field style? "sidebar" a sidebar is a first column that is narrow
---@field value? any the name of the shown tab, where nothing is bound

---Children beside each other where it is wide, and otherwise below each other, or as tabs.
---@param properties? scripted.ui.columns
---@return scripted.ui.Node
function ui.columns(properties) end

---@class scripted.ui.grid: scripted.ui.Container
---@field columns? integer|"fit" how many there are, or as many as fit

---Children in rows and columns.
---@param properties? scripted.ui.grid
---@return scripted.ui.Node
function ui.grid(properties) end

---@class scripted.ui.scroll: scripted.ui.Container
---@field axis? "vertical"|"horizontal" vertical if absent

---Children that can be scrolled.
---@param properties? scripted.ui.scroll
---@return scripted.ui.Node
function ui.scroll(properties) end

---@class scripted.ui.screen: scripted.ui.Container
---@field title? string|number the text above it
---@field width? "narrow"|"wide"|"full" how wide it may be

---What fills the screen.
---@param properties? scripted.ui.screen
---@return scripted.ui.Node
function ui.screen(properties) end

---@class scripted.ui.form: scripted.ui.Container
---@field onSubmit? scripted.ui.Action is sent when what was entered is complete

---Fields that are entered together.
---@param properties? scripted.ui.form
---@return scripted.ui.Node
function ui.form(properties) end

---@class scripted.ui.section: scripted.ui.Container
---@field footer? string|number a text below it
---@field title? string|number the text above it

---A part of a list or form, with a title.
---@param properties? scripted.ui.section
---@return scripted.ui.Node
function ui.section(properties) end

---@class scripted.ui.list: scripted.ui.Container
---@field accepts? string|string[] the names of the lists whose rows can be dropped here
---@field empty? scripted.ui.Node what it shows while it has no row
---@field onDelete? scripted.ui.Action is sent with the `ids` and `rows` that are to go
---@field onDrop? scripted.ui.Action is sent with the `id` of a row that goes `from` a list `to` this one, and its `index` there
---@field onMove? scripted.ui.Action is sent with the `ids` and `rows` that are to go before row `to`
---@field selection? string the field of the state that has the id of the selected row; absent for none
---@field style? "plain"|"inset"|"cards" how it looks
---@field window? boolean whether only some rows of a long list are evaluated; true if absent

---Rows, mostly those of a `ui.forEach`.
---@param properties? scripted.ui.list
---@return scripted.ui.Node
function ui.list(properties) end

---@class scripted.ui.table: scripted.ui.Container
---@field accepts? string|string[] the names of the lists whose rows can be dropped here
---@field columns? scripted.ui.Column[] the columns, in the order of a row's children
---@field empty? scripted.ui.Node what it shows while it has no row
---@field onDelete? scripted.ui.Action is sent with the `ids` and `rows` that are to go
---@field onDrop? scripted.ui.Action is sent with the `id` of a row that goes `from` a list `to` this one, and its `index` there
---@field onMove? scripted.ui.Action is sent with the `ids` and `rows` that are to go before row `to`
---@field selection? string the field of the state that has the id of the selected row; absent for none
---@field window? boolean whether only some rows of a long list are evaluated; true if absent

---Rows with columns.
---@param properties? scripted.ui.table
---@return scripted.ui.Node
function ui.table(properties) end

---@class scripted.ui.toolbar: scripted.ui.Container

---Buttons and the like of a screen.
---@param properties? scripted.ui.toolbar
---@return scripted.ui.Node
function ui.toolbar(properties) end

---@class scripted.ui.tabs: scripted.ui.Container
---@field bind? string the dotted path of the field of the state that it shows and changes
---@field onChange? scripted.ui.Action is sent with the `value` that was entered
---@field value? any the name of the shown tab, where nothing is bound

---Children of which one is shown.
---@param properties? scripted.ui.tabs
---@return scripted.ui.Node
function ui.tabs(properties) end

---@class scripted.ui.disclosure: scripted.ui.Container
---@field bind? string the dotted path of the field of the state that it shows and changes
---@field onChange? scripted.ui.Action is sent with the `value` that was entered
---@field value? any whether it is open, where nothing is bound

---Children that can be folded away.
---@param properties? scripted.ui.disclosure
---@return scripted.ui.Node
function ui.disclosure(properties) end

---@class scripted.ui.group: scripted.ui.Container
---@field title? string|number the text above it

---Children that belong together.
---@param properties? scripted.ui.group
---@return scripted.ui.Node
function ui.group(properties) end

---@class scripted.ui.empty: scripted.ui.Container

---What a list or table shows while it has no row.
---@param properties? scripted.ui.empty
---@return scripted.ui.Node
function ui.empty(properties) end

---@class scripted.ui.RowOptions
---@field where? fun(element: any): any shows the elements for which it returns true
---@field only? any[] shows these elements, in this order
---@field env? table<string, any> what the rows find in `env`

---@class scripted.ui.DataOptions
---@field id? string the field that holds an element's id, "id" if absent; "self" for strings and numbers

---@class scripted.ui.ChildOptions
---@field env? table<string, any> what the child finds in `env`

---The elements of an attached `forEach`, by its action name; or a row for each element of a list, known by its
---id, or for each number of a range.
---@overload fun(list: any[], row: fun(element: any, index: integer): scripted.ui.Node): scripted.ui.Node
---@overload fun(list: any[], options: scripted.ui.DataOptions, row: fun(element: any, index: integer): scripted.ui.Node): scripted.ui.Node
---@overload fun(count: integer, row: fun(number: integer): scripted.ui.Node): scripted.ui.Node
---@overload fun(first: integer, last: integer, row: fun(number: integer): scripted.ui.Node): scripted.ui.Node
---@param action string
---@param options? scripted.ui.RowOptions
---@return scripted.ui.Node
function ui.forEach(action, options) end

---A child, by the name of its action; nothing while it is absent. Without a name the present case of `cases`.
---@param action? string
---@param options? scripted.ui.ChildOptions
---@return scripted.ui.Node
function ui.child(action, options) end

---@class scripted.ui.navigation
---@field [1] scripted.ui.Node what is shown below the entries
---@field path string the action name of an attached `stack`
---@field env? table<string, any> what the entries find in `env`

---A stack: its root, and the views of its entries above that. Going back sends `popFrom`.
---@param properties scripted.ui.navigation
---@return scripted.ui.Node
function ui.navigation(properties) end

---@class scripted.ui.host: scripted.ui.Element
---@field name string the name by which the host draws it
---@field [string] any

---A view that the host draws.
---@param properties scripted.ui.host
---@return scripted.ui.Node
function ui.host(properties) end

return ui
