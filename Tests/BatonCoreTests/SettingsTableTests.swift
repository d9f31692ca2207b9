import BatonCore
import Testing

@Suite struct SettingsTableTests {
  @Test func everyDefaultIsInItsRange() {
    let defaults = Settings()
    for setting in Settings.table {
      #expect(setting.range.contains(defaults[keyPath: setting.path]), "\(setting.name)")
    }
  }

  @Test func everyNumberIsNamedOnce() {
    #expect(Set(Settings.table.map(\.name)).count == Settings.table.count)
    #expect(Set(Settings.table.map(\.path)).count == Settings.table.count)
    let numbers = Mirror(reflecting: Settings()).children.count { $0.value is Int }
    #expect(Settings.table.count == numbers)
  }

  @Test func aRefusedValueChangesNothing() {
    var settings = Settings()
    #expect(throws: SettingError.outOfRange("max_depth", 1, 2...10_000)) { try settings.set("max_depth", to: 1) }
    #expect(throws: SettingError.unknown("max_dept", nearest: "max_depth")) { try settings.set("max_dept", to: 5) }
    #expect(settings.maxDepth == 128)
  }
}
