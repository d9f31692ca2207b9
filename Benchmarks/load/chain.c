// A chain: one sender keeps its window full, each handler passes a message on, and the last one takes it.
#include <stdlib.h>

#include "load.h"

static struct peer *sender;
static int64_t *sent_at;       // for each place of the window; 0 while nothing is in flight there
static uint32_t in_flight, sequence, next_back;

void chain_open(void) {
  sent_at = calloc(options.window, sizeof *sent_at);
  for (int i = 0; i < options.count; i++) peer_join(HANDLER, i);
  wait_until_ready();
  open_strangers();
  sender = peer_join(SENDER, 0);
  wait_until_ready();
}

static void send_one(uint32_t slot) {
  sent_at[slot] = now;
  in_flight += 1;
  driver->send(sender, sequence++, slot);
}

void chain_begin(void) {
  now = clock_now();
  for (int slot = 0; slot < options.window; slot++) send_one(slot);
}

void chain_back(uint32_t slot) {
  if (slot >= (uint32_t)options.window || sent_at[slot] == 0) give_up("a result came that nobody waits for");
  came_back(sent_at[slot]);
  sent_at[slot] = 0;
  in_flight -= 1;
  if (!is_landing) send_one(slot);
}

// Where results do not say which message they are for, they come in the order of the messages.
uint32_t chain_next_back(void) {
  uint32_t slot = next_back;
  next_back = slot + 1 == (uint32_t)options.window ? 0 : slot + 1;
  return slot;
}

bool chain_has_landed(void) { return in_flight == 0; }
