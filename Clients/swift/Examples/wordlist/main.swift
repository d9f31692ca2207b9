// Masks words in posts: swift run baton-example-wordlist NAME WORD ...
//
// A link of the chain "posts" that no post gets past unseen: its place is kept while the program starts again.
import BatonClient

let words = CommandLine.arguments.dropFirst(2)
guard let name = CommandLine.arguments.dropFirst().first, !words.isEmpty, !words.contains("") else {
  fatalError("say a name, and which words to mask")
}

var link = Link(name, in: "posts", accepts: ["post.*"])
link.onFailure = .stop
link.hold = .seconds(10)
link.isRequired = true

try await Baton()
  .named(name)
  .handler(link) { [words] message in
    guard let post = try? message.decode(String.self) else { return .reject("a post is a string", code: 400) }
    let masked = words.reduce(post) { $0.replacing($1, with: String(repeating: "*", count: $1.count)) }
    return masked == post ? .continue : .continue(rewriting: masked)
  }
  .run()
