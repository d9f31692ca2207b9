// What NATS, Redis and MQTT have in common: subjects, and frames whose length follows from subject and payload.
#ifndef BROKER_H
#define BROKER_H

#include "peer.h"

// How one protocol frames what is said. Each function writes at `at` and returns how many bytes that were.
struct framing {
  // What a connection says first.
  size_t (*greet)(char *at);
  size_t (*subscribe)(char *at, const char *subject, int number);
  size_t (*subscribe_pattern)(char *at, int number);
  // What is answered by a sign that all before it was heard, and what may follow the answer without another one.
  size_t (*ask)(char *at);
  // What stands before a payload of so many bytes that is published, and that comes to a subscriber; then what is
  // behind it.
  size_t (*publish)(char *at, const char *subject, size_t payload);
  size_t (*message)(char *at, const char *subject, size_t payload);
  const char *tail;
  // Takes what is no message, and returns its length; 0 where it is not whole.
  size_t (*other)(struct peer *peer, char *bytes, size_t count);
};

void broker_join(const struct framing *framing, struct peer *peer);
size_t broker_took(struct peer *peer, char *bytes, size_t count);
void broker_send(struct peer *sender, uint32_t sequence, uint32_t slot);

#endif
