// Messages that are sent again and again: their number is written into a head that is copied, the body stays.
#ifndef MESSAGE_H
#define MESSAGE_H

#include "peer.h"

enum { FIRST_ID = 10000 };

// Something that is sent again and again, with another number each time. The head is copied; the body stays.
struct message {
  char head[512];
  size_t head_bytes;
  int sequence_at, id_at, topic_at;  // places in the head, or -1
  uint32_t topics;             // so many topics take turns; 0: each is new
  const char *body;
  size_t body_bytes;
};

// A body: the filler, and `tail` behind it.
void message_set_body(struct message *message, size_t filler, const char *tail);
void message_say(const struct message *message, struct peer *peer, uint32_t sequence, uint32_t slot);

#endif
