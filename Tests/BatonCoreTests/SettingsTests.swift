import Testing

@testable import BatonCore

/// Each limit and duration of the contract can be set. If it is not set, it is the contract's default.
@Suite struct SettingsTests {
  @Test func defaultsAreWithinTheirRanges() {
    let defaults = Settings()
    for setting in Settings.table {
      #expect(setting.range.contains(defaults[keyPath: setting.path]), "\(setting.name)")
      #expect(!setting.unit.isEmpty && !setting.reason.isEmpty)
    }
    #expect(Set(Settings.table.map(\.name)).count == Settings.table.count)
  }

  @Test func eachIsSetByItsNameAlone() throws {
    for setting in Settings.table {
      for value in [setting.range.lowerBound, setting.range.upperBound] {
        var settings = Settings()
        try settings.set(setting.name, to: value)
        for other in Settings.table {
          let expected = other.name == setting.name ? value : Settings()[keyPath: other.path]
          #expect(settings[keyPath: other.path] == expected, "\(setting.name) sets \(other.name)")
        }
      }
    }
  }

  @Test func whatIsWrongChangesNothing() {
    for setting in Settings.table {
      for value in [setting.range.lowerBound - 1, setting.range.upperBound + 1] {
        var settings = Settings()
        #expect(throws: SettingError.outOfRange(setting.name, value, setting.range)) {
          try settings.set(setting.name, to: value)
        }
        #expect(settings[keyPath: setting.path] == Settings()[keyPath: setting.path])
      }
    }
    var settings = Settings()
    #expect(throws: SettingError.unknown("max_lines", nearest: "max_line")) { try settings.set("max_lines", to: 1) }
    #expect(throws: SettingError.unknown("zebra", nearest: nil)) { try settings.set("zebra", to: 1) }
  }

  /// Every setting at its least and at its most: a message still gets a result, or an error that says why not. Nothing
  /// traps.
  @Test func theCoreStandsAtBothEndsOfEachRange() throws {
    for setting in Settings.table {
      for value in [setting.range.lowerBound, setting.range.upperBound] {
        var settings = Settings()
        try settings.set(setting.name, to: value)
        let stage = Stage(settings)
        stage.open("peer")
        stage.say("peer", #"{"op":"subscribe","topics":["a"]}"#, #"{"op":"insert","handler":"h"}"#)
        stage.say("peer", #"{"op":"send","topic":"a"}"#, #"{"op":"broadcast","topic":"a"}"#, "{")
        stage.give("peer", Array("{\"op\":".utf8))
        stage.advance(milliseconds: 1)
        stage.drain()
        stage.hear("peer")
        stage.open("other")
        stage.say("other", #"{"op":"handled"}"#)
        stage.close("peer", "other")
        stage.advance(milliseconds: 86_400_001)
        #expect(stage.census.isEmpty, "\(setting.name) = \(value)")
      }
    }
  }
}
