// What comes, where all of it is equally long: frames with a number in each, which says whether one was lost.
#ifndef FRAMES_H
#define FRAMES_H

#include "peer.h"

// A number is eight letters, in any protocol.
enum { SEQUENCE_BYTES = 8 };

void write_sequence(char *at, uint32_t sequence);
bool is_sequence(const char *at, uint32_t sequence);
// Takes frames, all of one length, as long as they are whole and as expected. What is none is `other`'s, which returns
// the length of it, or 0 where it is not whole.
size_t take_frames(
  struct peer *peer, char *bytes, size_t count, void (*took)(struct peer *peer, const char *frame),
  size_t (*other)(struct peer *peer, char *bytes, size_t count));

#endif
