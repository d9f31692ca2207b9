import ArgumentParser
import BatonCore

/// Places that the server keeps from the start.
struct GuardOptions: ParsableArguments {
  @Option(
    name: .customLong("guard"),
    help: ArgumentHelp(
      """
      A place that no message passes until its handler has come (it fails closed). It exists before the first \
      connection is accepted: empty, required, and with on_failure "stop". May be repeated.
      """, valueName: "chain/handler"),
    transform: { text in
      do throws(GuardedPlaceError) {
        return try GuardedPlace(text)
      } catch {
        throw ValidationError(error.description)
      }
    })
  var places: [GuardedPlace] = []
}
