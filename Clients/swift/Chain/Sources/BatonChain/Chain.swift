@_exported public import BatonClient

/// Makes a sender and a handler of a protocol: the sender's methods are messages, and the handler calls those of a
/// value of yours.
///
///     @Chain protocol Door: Sendable {
///       func open(_ who: String) async throws -> Int?
///       func rang(at place: String) async
///     }
///
///     let door = DoorSender(client)                          // is a Door
///     let number = try await door.open("Ann")                // sends door.open, with the payload "Ann"
///     await door.rang(at: "front")                           // notifies door.rang, with the payload {"at":"front"}
///
///     try await client.add(Link("porter"), DoorHandler(porter))      // porter is a Door, too
///
/// A method is a topic: `prefix` and the method's name. The prefix is the protocol's name with a small first letter if
/// nothing else is said. Each parameter is a member of the payload, under its label; a single parameter without a label
/// is the payload.
///
/// A method that returns `T?` is sent. The answer of the first handler that has one is returned. nil says "not mine":
/// the next link is asked, and the caller gets nil where nobody answers. A method without a result is a notice, which
/// goes to every link. What a method throws is `failed`.
@attached(peer, names: suffixed(Sender), suffixed(Handler))
public macro Chain(_ prefix: String? = nil) = #externalMacro(module: "BatonChainMacros", type: "ChainMacro")
