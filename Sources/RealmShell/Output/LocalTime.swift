import Glibc
import RealmValues

/// Dates in the zone of the system.
enum LocalTime {
  /// Appends the form `2024-05-01T14:00:00+02:00`; the UTC form if the zone is not known for the
  /// year.
  static func append(_ date: Timestamp, to text: inout [UInt8]) {
    var seconds = time_t(date.seconds)
    var parts = tm()
    guard localtime_r(&seconds, &parts) != nil else {
      date.append(to: &text)
      return
    }
    let offset = Int64(parts.tm_gmtoff)
    let (shifted, overflow) = date.seconds.addingReportingOverflow(offset)
    guard !overflow else {
      date.append(to: &text)
      return
    }
    Timestamp(seconds: shifted, nanoseconds: date.nanoseconds).append(to: &text)
    text.removeLast()
    text.append(UInt8(ascii: offset < 0 ? "-" : "+"))
    let minutes = Int(offset.magnitude / 60)
    appendTwoDigits(minutes / 60, to: &text)
    text.append(UInt8(ascii: ":"))
    appendTwoDigits(minutes % 60, to: &text)
  }

  private static func appendTwoDigits(_ number: Int, to text: inout [UInt8]) {
    text.append(UInt8(ascii: "0") + UInt8(number / 10 % 10))
    text.append(UInt8(ascii: "0") + UInt8(number % 10))
  }
}
