/// Which part of the messages a message is in (contract, section 5, `percent`). All links and all servers choose the same.
package enum Bucket {
  /// From 0 to 99: a link is for the message if it is for more percent. `text` is the message's key; without one the name
  /// under which it is stored, or else its walk's number in decimal digits.
  package static func of(_ text: some Sequence<UInt8>) -> Int { Int(CRC32.of(text) % 100) }
}
