import Testing

@testable import RealmShell

/// The table of settings.
struct SettingsTests {
  @Test func namesAreSortedAndDistinct() {
    let names = SettingDescription.all.map(\.name)
    #expect(names == names.sorted())
    #expect(Set(names).count == names.count)
  }

  @Test(arguments: SettingDescription.all.map(\.name))
  func everyValueThatIsListedIsAccepted(_ name: String) throws {
    let setting = try #require(SettingDescription.named(name))
    var settings = Settings()
    let initial = setting.text(settings)
    #expect(setting.set(&settings, initial))
    #expect(setting.text(settings) == initial)
    guard !setting.values.hasSuffix("text") else {
      #expect(setting.set(&settings, " any thing "))
      #expect(setting.text(settings) == " any thing ")
      return
    }
    for word in setting.values.split(whereSeparator: { " ,".contains($0) }) {
      let bounds = word.split(separator: "-").compactMap { Int($0) }
      let values = bounds.isEmpty ? [String(word)] : bounds.map(String.init)
      for value in values {
        #expect(setting.set(&settings, value), "\(value)")
        #expect(setting.text(settings) == value)
      }
      guard let low = bounds.first, let high = bounds.last else { continue }
      for value in [low - 1, high + 1].map(String.init) {
        #expect(!setting.set(&settings, value), "\(value)")
      }
    }
    for value in ["", "no such value", "99999999999999999999", "-1"] {
      let before = setting.text(settings)
      #expect(!setting.set(&settings, value), "\(value)")
      #expect(setting.text(settings) == before)
    }
  }

  @Test func defaultsAreThoseOfTheManual() {
    let texts = SettingDescription.all.map { "\($0.name)=\($0.text(Settings()))" }
    #expect(
      texts.joined(separator: " ")
        == "acks=auto autorefresh=on cell=40 color=auto diffrows=20 echo=off editor=environment "
        + "errors=human fit=on footer=on highlight=on hints=on history=10000 index=on keys=emacs "
        + "mode=table null=null pager=off prompt={db}{state}>  rows=100 timing=off versions=on "
        + "width=auto zone=utc")
  }
}
