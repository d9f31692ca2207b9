/// The messages of one chain and key: one is under way, the others wait for it in the order in which they came
/// (contract, section 4, `key`).
struct KeyQueue: ~Copyable {
  let chain: UInt32
  let key: OwnedBytes
  let hash: UInt32
  var first = UInt32.nobody
  var last = UInt32.nobody
}
