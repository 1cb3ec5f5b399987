import ScriptedStore

/// Finds children that views place and that are not there, are placed in another way, or have no view.
///
/// Every script is asked, because any script may attach the child to the feature that places it.
struct PlacementFindings {
  /// The questions, numbered by their index in `places`.
  let questions: FeatureQuestions<PlacedChild>
  private let places: [(script: ScriptFile, place: ViewPlacementUse)]

  init(_ scripts: [ScriptFile]) {
    places = scripts.flatMap { script in
      (script.analysis?.viewPlacements ?? []).filter { !$0.features.isEmpty }.map { (script, $0) }
    }
    questions = FeatureQuestions(
      places.map { script, place in FeatureQuestion(place.child, place.features, of: script) })
  }

  /// Returns a finding for each child that no script lets the view place.
  ///
  /// - Parameter answers: the answers of each script, by the question's number.
  func findings(_ answers: [[Int: ScriptAnswers.Placing]]) -> [Finding] {
    var failures: [Int: PlacementFailure] = [:]
    var placed: Set<Int> = []
    for (number, answer) in answers.joined() {
      switch answer {
      case .placed: placed.insert(number)
      case .failed(let failure): failures[number] = failures[number] ?? failure
      }
    }
    return failures.filter { !placed.contains($0.key) }.map { number, failure in
      let (script, place) = places[number]
      return script.finding(
        failure.isMissingView ? .missingView : .unknownChild, at: place.position, failure.message,
        failure.remedy)
    }
  }
}
