import BatonClient
import Testing

struct Post: Codable {
  var text: String
  var author: String
}

let shorten = Handler("shorten", "post.*") { (post: Post, message) in
  if post.text.isEmpty { return .reject("a post has a text", code: 400) }
  return .continue(rewriting: Post(text: String(post.text.prefix(12)), author: post.author))
}

@Test func longPostsAreShortened() async throws {
  let verdict = try await shorten.offer("post.new", Post(text: "Good morning, all", author: "Ann"))
  #expect(verdict == .continue(rewriting: Post(text: "Good morning", author: "Ann")))
  #expect(try await shorten.offer("post.new", ["text": "Hi"]) == .failed("payload.author: it is missing"))
}
