#include "frames.h"

#include <string.h>

#include "trouble.h"

// Eight letters, four bits each: a number that is quick to write and quick to compare, and stands in any protocol.
static uint64_t letters(uint32_t sequence) {
  uint64_t bits = sequence;
  bits = (bits | bits << 16) & 0x0000FFFF0000FFFF;
  bits = (bits | bits << 8) & 0x00FF00FF00FF00FF;
  bits = (bits | bits << 4) & 0x0F0F0F0F0F0F0F0F;
  return bits + 0x6161616161616161;
}

void write_sequence(char *at, uint32_t sequence) {
  uint64_t text = letters(sequence);
  memcpy(at, &text, SEQUENCE_BYTES);
}

bool is_sequence(const char *at, uint32_t sequence) {
  uint64_t text = letters(sequence);
  return memcmp(at, &text, SEQUENCE_BYTES) == 0;
}

size_t take_frames(
  struct peer *peer, char *bytes, size_t count, void (*took)(struct peer *peer, const char *frame),
  size_t (*other)(struct peer *peer, char *bytes, size_t count)) {
  size_t at = 0;
  while (at < count) {
    const char *frame = bytes + at;
    size_t left = count - at;
    bool is_expected = peer->frame_bytes && left >= peer->expected_bytes
      && (peer->expected_bytes == 0 || memcmp(frame, peer->expected, peer->expected_bytes) == 0);
    if (!is_expected) {
      size_t taken = other(peer, bytes + at, left);
      if (taken == 0) return at;
      at += taken;
      continue;
    }
    if (left < peer->frame_bytes) return at;
    if (peer->is_numbered && !is_sequence(frame + peer->expected_bytes, peer->next)) {
      give_up("message %u was lost, or came twice: %.200s", peer->next, frame);
    }
    peer->next += 1;
    took(peer, frame);
    at += peer->frame_bytes;
  }
  return at;
}
