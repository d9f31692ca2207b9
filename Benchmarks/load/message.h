// Messages that are sent again and again: their number is written into a head that is copied, bodies stay.
#ifndef MESSAGE_H
#define MESSAGE_H

#include "peer.h"

enum { FIRST_ID = 10000, BODIES = 64 };

// Something that is sent again and again, with another number each time. The head is copied; bodies stay, and take turns.
struct message {
  char head[512];
  size_t head_bytes;
  int sequence_at, id_at, topic_at;  // places in the head, or -1
  uint32_t topics;             // so many topics take turns; 0: each is new
  const char *bodies[BODIES];
  size_t body_bytes;           // of each
};

// The bodies: `filler` bytes, and `tail` behind them. The filler is one letter again and again; or, if payloads are structured,
// the rest of an object that has begun with the name of its member, `":[`, with other entries in each body.
void message_set_body(struct message *message, size_t filler, const char *tail);
void message_say(const struct message *message, struct peer *peer, uint32_t sequence, uint32_t slot);

#endif
