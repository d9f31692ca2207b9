// A chain: a sender keeps its window full, each handler passes a message on, and the last one takes it. Or mixed peers:
// each place of the window has a sender of its own, and all of them send again when all have been answered, so that
// each has the same share of the work.
#include <stdlib.h>

#include "clock.h"
#include "meter.h"
#include "options.h"
#include "trouble.h"
#include "work.h"

static struct peer **senders;
static int64_t *sent_at;       // for each place of the window; 0 while nothing is in flight there
static uint32_t in_flight, sequence, next_back;
static bool is_ending, is_in_rounds;

static void open_all(int handlers, int subscribers, uint32_t count) {
  sent_at = calloc(options.window, sizeof *sent_at);
  for (int i = 0; i < subscribers; i++) peer_join(SUBSCRIBER, i);
  for (int i = 0; i < handlers; i++) peer_join(HANDLER, i);
  wait_until_ready();
  open_strangers(options.wildcards > 0, options.links_elsewhere + options.links_here > 0);
  senders = get_memory(count * sizeof *senders);
  for (uint32_t i = 0; i < count; i++) senders[i] = peer_join(SENDER, i);
  wait_until_ready();
}

static void open_chain(void) { open_all(options.count, 0, 1); }

static void open_mixed(void) {
  is_in_rounds = true;
  open_all(MIXED_KINDS * MIXED_LINKS, MIXED_SUBSCRIBERS, options.window);
}

static void send_one(uint32_t slot) {
  sent_at[slot] = now;
  in_flight += 1;
  peer_send(senders[is_in_rounds ? slot : 0], sequence++, slot);
}

static void send_all(void) {
  for (int slot = 0; slot < options.window; slot++) send_one(slot);
}

static void begin(void) {
  now = clock_now();
  send_all();
}

static void end(void) { is_ending = true; }

void chain_back(uint32_t slot) {
  if (slot >= (uint32_t)options.window || sent_at[slot] == 0) give_up("a result came that nobody waits for");
  came_back(sent_at[slot]);
  sent_at[slot] = 0;
  in_flight -= 1;
  if (is_ending) return;
  if (!is_in_rounds) return send_one(slot);
  if (in_flight == 0) send_all();
}

// Where results do not say which message they are for, they come in the order of the messages.
uint32_t chain_next_back(void) {
  uint32_t slot = next_back;
  next_back = slot + 1 == (uint32_t)options.window ? 0 : slot + 1;
  return slot;
}

static bool has_landed(void) { return in_flight == 0; }

const struct work chain_work = {"chain", "message", open_chain, begin, end, has_landed};
const struct work mixed_work = {"mixed", "request", open_mixed, begin, end, has_landed};
