/// The elements, in the order of ``ViewElement/all``.
package enum ElementKind: String, Sendable, CaseIterable {
  // Shown.
  case text, heading, image, icon, progress, divider, spacer, badge, date, number
  case canvas
  // Controls.
  case button, link, menu, toast
  // Inputs.
  case textField, secureField, textEditor, toggle, picker, slider, stepper, datePicker, file
  // Containers.
  case row, column, columns, grid, scroll, screen, form, section, list, table, toolbar, tabs,
    disclosure
  case group, empty
  // Placeholders. `forEach`, `child` and `navigation` are made by functions of their own.
  case forEach, child, navigation, host
  // The shapes of a canvas.
  case shape

  /// What the element may have, what it draws, and what a person does with it.
  var behaviour: any Element {
    switch self {
    case .text: TextElement()
    case .heading: HeadingElement()
    case .image: ImageElement()
    case .icon: IconElement()
    case .progress: ProgressElement()
    case .divider: DividerElement()
    case .spacer: SpacerElement()
    case .badge: BadgeElement()
    case .date: DateElement()
    case .number: NumberElement()
    case .canvas: CanvasElement()

    case .button: ButtonElement()
    case .link: LinkElement()
    case .menu: MenuElement()
    case .toast: ToastElement()

    case .textField: TextFieldElement()
    case .secureField: SecureFieldElement()
    case .textEditor: TextEditorElement()
    case .toggle: ToggleElement()
    case .picker: PickerElement()
    case .slider: SliderElement()
    case .stepper: StepperElement()
    case .datePicker: DatePickerElement()
    case .file: FileElement()

    case .row: RowElement()
    case .column, .empty: ColumnElement()
    case .columns: ColumnsElement()
    case .grid: GridElement()
    case .scroll: ScrollElement()
    case .screen: ScreenElement()
    case .form: FormElement()
    case .section: SectionElement()
    case .list: ListElement()
    case .table: TableElement()
    case .toolbar: ToolbarElement()
    case .tabs: TabsElement()
    case .disclosure: DisclosureElement()
    case .group: GroupElement()

    // The action of a place is a name, and none that a person sends.
    case .forEach:
      PlaceElement(properties: [
        .init("action", .text), .init("list", .any), .init("only", .any),
      ])
    case .child, .navigation: PlaceElement(properties: [.init("action", .text)])
    case .host: PlaceElement(isItem: true)

    case .shape: ShapeElement()
    }
  }
}
