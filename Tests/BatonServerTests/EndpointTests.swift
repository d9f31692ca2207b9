import BatonServer
import Testing
import UV

@Suite struct EndpointTests {
  @Test(arguments: [
    ("127.0.0.1:22866", "tcp 127.0.0.1:22866"),
    ("localhost:0", "tcp localhost:0"),
    ("[::1]:80", "tcp [::1]:80"),
    ("unix:/tmp/a b", "unix /tmp/a b"),
    ("unix:relative:1", "unix relative:1"),
  ])
  func reads(text: String, description: String) { #expect(Endpoint(text)?.description == description) }

  @Test(arguments: ["", "unix:", "host", "host:", ":80", "host:65536", "host:-1", "::1:80", "[::1]"])
  func refuses(text: String) { #expect(Endpoint(text) == nil) }

  // This is not an argument of the test, because it would end the report's line.
  @Test func refusesAPathWithANulByte() { #expect(Endpoint("unix:a\0b") == nil) }
}
