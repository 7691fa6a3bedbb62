/// A day in the proleptic Gregorian calendar, with a year 0 before the year 1.
struct CivilDate {
  let year: Int64
  let month: Int64
  let day: Int64

  /// Days after 1970-01-01.
  let days: Int64

  // Years are counted from March here, so that a leap day is the last day of its year, and days in
  // cycles of 400 years, after which the calendar repeats.
  private static let daysPerCycle: Int64 = 146_097
  /// Days from 0000-03-01 to 1970-01-01.
  private static let daysToEpoch: Int64 = 719_468

  /// The date that is so many days after 1970-01-01; `days` must be within 10¹⁵ of 0.
  init(days: Int64) {
    self.days = days
    let shifted = days + Self.daysToEpoch
    let cycle = shifted >= 0 ? shifted / Self.daysPerCycle : ~(~shifted / Self.daysPerCycle)
    let dayOfCycle = shifted - cycle * Self.daysPerCycle
    // One day less for each leap day passed makes all years 365 days long.
    let yearOfCycle =
      (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
    let dayOfYear = dayOfCycle - (yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100)
    // Months from March on have 153 days in each five.
    let monthFromMarch = (dayOfYear * 5 + 2) / 153
    day = dayOfYear - (monthFromMarch * 153 + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0)
  }

  /// The date with the given parts, nil if the month does not have that day.
  ///
  /// The month must be 1 ... 12 and the year within 10¹² of 0.
  init?(year: Int64, month: Int64, day: Int64) {
    let marchYear = month <= 2 ? year - 1 : year
    let cycle = marchYear >= 0 ? marchYear / 400 : ~(~marchYear / 400)
    let yearOfCycle = marchYear - cycle * 400
    let monthFromMarch = month > 2 ? month - 3 : month + 9
    let dayOfYear = (monthFromMarch * 153 + 2) / 5 + day - 1
    let days =
      cycle * Self.daysPerCycle + yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100
      + dayOfYear - Self.daysToEpoch
    // A day that the month does not have lands in the next month.
    self.init(days: days)
    guard self.month == month, self.day == day else { return nil }
  }
}
