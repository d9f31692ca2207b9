import BatonChain

@Chain protocol Door: Sendable {
  func open(_ who: String) async throws -> Int?
  func rang(at place: String) async
}

struct Porter: Door {
  func open(_ who: String) async throws -> Int? { who == "Ann" ? 7 : nil }
  func rang(at place: String) async { print("somebody rang at the \(place)") }
}

if CommandLine.arguments.contains("serve") {
  try await Baton().named("porter").handler("porter", DoorHandler(Porter())).run()
} else {
  let door = DoorSender(try await Baton().named("guest").connect())
  await door.rang(at: "front")
  for who in ["Ann", "Bob"] {
    print(try await door.open(who).map { "door \($0) is open for \(who)" } ?? "no door for \(who)")
  }
}
