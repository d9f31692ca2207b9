internal import BatonCore

/// Tokens that keep nobody out, or let nobody in. The digests of common words stand in lists that everybody has.
enum KnownTokens {
  private static let words = [
    "", " ", "correct horse battery staple",
    "0", "00", "000", "0000", "1", "11", "111", "1111", "12", "123", "1234", "12345", "123456", "1234567", "12345678",
    "123456789", "1234567890", "a", "aa", "aaa", "abc", "abc123", "access", "admin", "administrator", "anonymous",
    "api", "api-key", "api_key", "apikey", "bar", "baton", "baton_token", "bearer", "change-me", "change_me",
    "changeit", "changeme", "client", "correct-horse-battery-staple", "correcthorsebatterystaple", "default", "demo",
    "dev", "empty", "example", "false", "fixme", "foo", "foobar", "guest", "hello", "hunter2", "insecure", "key",
    "letmein", "local", "localhost", "master", "moderator", "my-secret", "my-token", "my_secret", "my_token",
    "mysecret", "mytoken", "nil", "no", "none", "null", "open", "owner", "pass", "passw0rd", "password", "password1",
    "password123", "placeholder", "prod", "production", "public", "qwerty", "replace-me", "replace_me", "replaceme",
    "root", "s3cr3t", "s3cret", "sample", "secret", "secret123", "server", "sesame", "system", "tbd", "temp", "test",
    "test123", "test1234", "tester", "testing", "testtoken", "todo", "token", "token123", "topsecret", "true",
    "undefined", "user", "web", "welcome", "x", "xx", "xxx", "y", "yes", "your-token", "your_token", "yourtoken",
  ]
  /// So, with a capital, and in capitals.
  private static let guessed = Set(
    words.flatMap { [$0, $0.prefix(1).uppercased() + $0.dropFirst(), $0.uppercased()] }.map { TokenDigest(of: $0) })
  /// What stands in examples.
  private static let ofExamples = TokenDigest(spelling: TokenDigest.prefix + String(repeating: "0", count: 64))

  static let guessedWords = "anybody guesses this token; baton token NAME makes one that nobody does"
  static let exampleWords = "this stands in examples, and no token has it; baton token NAME prints the line of a token"

  /// What to warn of; nil if nothing is known of a token.
  static func warning(about digest: TokenDigest) -> String? {
    if guessed.contains(digest) { return guessedWords }
    return digest == ofExamples ? exampleWords : nil
  }
}
