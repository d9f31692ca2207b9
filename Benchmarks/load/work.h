// What is sent when. A work opens the connections and fills the window. It sends more when something has come back.
#ifndef WORK_H
#define WORK_H

#include "peer.h"

struct work {
  const char *name;
  // What a figure is for.
  const char *unit;
  void (*open)(void);
  void (*begin)(void);
  // From now on nothing new is sent.
  void (*end)(void);
  // Whether nothing is in flight.
  bool (*has_landed)(void);
};
extern const struct work chain_work, mixed_work, fanout_work;

// What the drivers tell it. A result has come to a sender, for that place of the window.
void chain_back(uint32_t slot);
// The place of the oldest message in flight.
uint32_t chain_next_back(void);
// The next broadcast has come to a subscriber.
void fanout_arrived(struct peer *subscriber);

// The peers of `mixed`: the kinds of senders take turns in the window, and each kind has handlers of its own.
enum { MIXED_KINDS = 8, MIXED_LINKS = 3, MIXED_SUBSCRIBERS = 8 };

// Works that need no window.
int measure_idle(void);
int measure_start(char **command);

#endif
