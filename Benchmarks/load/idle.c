// Connections that have sent one line each and then are silent: what each costs the server in memory.
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "options.h"
#include "process.h"
#include "work.h"

// The server may give back what it needed for a moment only.
static void settle(void) {
  int64_t until = clock_now() + (int64_t)(options.seconds * 1e9);
  while (clock_now() < until) turn(10);
}

int measure_idle(void) {
  // The first one: what the server needs for connections at all.
  peer_join(IDLER, 0);
  wait_until_ready();
  settle();
  long before = resident_bytes(options.server);
  for (int i = 1; i < options.count; i++) peer_join(IDLER, i);
  wait_until_ready();
  settle();
  long after = resident_bytes(options.server);
  double each = options.count > 1 ? (double)(after - before) / (options.count - 1) : 0;
  printf(
    "{\"connections\":%d,\"resident_before\":%ld,\"resident_bytes\":%ld,\"bytes_each\":%.0f}\n", options.count, before,
    after, each);
  return 0;
}
