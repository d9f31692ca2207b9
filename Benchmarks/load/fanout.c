// A fan-out: one broadcaster keeps its window full; a broadcast is in flight until every subscriber has it.
#include <stdlib.h>

#include "clock.h"
#include "meter.h"
#include "options.h"
#include "trouble.h"
#include "work.h"

static struct peer *broadcaster;
static int64_t *sent_at;
static uint32_t *missing;      // for each place of the window, how many subscribers have not got the broadcast
static uint32_t in_flight, sequence;
static bool is_ending;

static void open(void) {
  sent_at = calloc(options.window, sizeof *sent_at);
  missing = calloc(options.window, sizeof *missing);
  for (int i = 0; i < options.count; i++) peer_join(SUBSCRIBER, i);
  wait_until_ready();
  open_strangers(options.wildcards > 0, options.links_elsewhere + options.links_here > 0);
  broadcaster = peer_join(SENDER, 0);
  wait_until_ready();
}

static void broadcast(uint32_t slot) {
  sent_at[slot] = now;
  missing[slot] = options.count;
  in_flight += 1;
  peer_send(broadcaster, sequence++, slot);
}

static void begin(void) {
  now = clock_now();
  for (int slot = 0; slot < options.window; slot++) broadcast(slot);
}

static void end(void) { is_ending = true; }

// Every subscriber gets the broadcasts in their order, so that they also end in it; `next` counts what it has got.
void fanout_arrived(struct peer *subscriber) {
  uint32_t slot = (subscriber->next - 1) % (uint32_t)options.window;
  if (missing[slot] == 0) give_up("a broadcast came that is not under way");
  came_back(sent_at[slot]);
  missing[slot] -= 1;
  if (missing[slot] > 0) return;
  in_flight -= 1;
  if (!is_ending) broadcast(slot);
}

static bool has_landed(void) { return in_flight == 0; }

const struct work fanout_work = {"fanout", "delivery", open, begin, end, has_landed};
