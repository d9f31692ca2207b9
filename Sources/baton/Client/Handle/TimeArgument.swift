import ArgumentParser

/// A time on the command line, as an argument of its own type.
struct TimeArgument: ExpressibleByArgument, Sendable {
  let duration: Duration

  init?(argument: String) {
    guard let duration = try? SpokenTime.duration(argument) else { return nil }
    self.duration = duration
  }
}
