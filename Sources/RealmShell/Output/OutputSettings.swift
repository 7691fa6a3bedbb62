import RealmStorage
import RealmValues

/// What the renderers need to know about the screen and the settings.
///
/// Source: shell.md 18, 25.
struct OutputSettings {
  var mode = Settings.Mode.table
  /// Whether tables are laid out for a screen: cut, narrowed, with drawn rules.
  var isTerminal = false
  /// Whether the cursor may be placed, since a terminal shows the output.
  var placesCursor = false
  /// Columns of the screen.
  var width = 80
  /// Widest cell on a screen.
  var cellWidth = 40
  /// Whether columns are narrowed to fit.
  var fits = true
  var showsFooter = true
  /// Whether `csv` and `tsv` begin with the names of the columns.
  var showsHeader = true
  var showsIndex = true
  /// What stands for null in the modes for people.
  var nullText = "null"
  /// Whether dates are shown in the local zone in the modes for people.
  var usesLocalTime = false
  var usesColor = false
  /// Told how many rows are printed; nil if the rows themselves show that.
  var progress: Progress?
  /// The keys that objects of classes without primary key will have where the output is read.
  var newKeys: [TableKey: ObjectPositions] = [:]

  /// Whether cells of a table are cut to the width of their column.
  var cutsCells: Bool { isTerminal && mode != .markdown }
}

extension Session {
  /// The settings for a result.
  ///
  /// A width that was asked for makes the layout of a terminal also where there is none.
  var outputSettings: OutputSettings {
    OutputSettings(
      mode: settings.mode, isTerminal: outputIsTerminal || settings.width != nil,
      placesCursor: outputIsTerminal && movesCursor, width: screenWidth,
      cellWidth: settings.cellWidth,
      fits: settings.fits, showsFooter: settings.showsFooter && !isQuiet,
      showsIndex: settings.showsIndex, nullText: settings.nullText,
      usesLocalTime: settings.zone == .local, usesColor: usesColor,
      progress: outputIsTerminal ? nil : Progress("printing", for: self))
  }
}
