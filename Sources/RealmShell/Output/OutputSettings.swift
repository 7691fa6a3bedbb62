/// What the renderers need to know about the screen and the settings.
struct OutputSettings {
  var mode: Settings.Mode
  var isTerminal: Bool
  /// Columns of the screen.
  var width: Int
  /// Widest cell on a terminal.
  var cellWidth: Int
  /// Whether columns are narrowed to fit.
  var fits: Bool
  var showsFooter: Bool
  var showsIndex: Bool
  var nullText: String
  var usesColor: Bool
}

extension Session {
  /// The settings for a result.
  var outputSettings: OutputSettings {
    OutputSettings(
      mode: settings.mode, isTerminal: outputIsTerminal, width: screenWidth,
      cellWidth: settings.cellWidth, fits: settings.fits, showsFooter: settings.showsFooter,
      showsIndex: settings.showsIndex, nullText: settings.nullText, usesColor: usesColor)
  }
}
