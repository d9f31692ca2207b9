// The load: makes a server work, and measures from outside what that costs. See README.md. It is one thread on one
// epoll: connections (peer.c), a meter (meter.c), what is sent when (chain.c, fanout.c, idle.c, start.c), and how a
// server is spoken to (drivers/). Each file calls only what is below it; what is above is handed down as a table of
// functions (driver.h, work.h).
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "baton_lines.h"
#include "clock.h"
#include "meter.h"
#include "options.h"
#include "process.h"
#include "trouble.h"
#include "work.h"

static const struct driver *find_driver(void) {
  const struct driver *all[] = {&baton_driver, &floor_driver, &nats_driver, &redis_driver, &mqtt_driver};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (!strcmp(all[i]->name, options.driver_name)) return all[i];
  }
  give_up("there is no driver %s", options.driver_name);
}

static const struct work *find_work(const char *name) {
  const struct work *all[] = {&chain_work, &mixed_work, &fanout_work};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (!strcmp(all[i]->name, name)) return all[i];
  }
  return NULL;
}

// Runs until so many seconds are over and so many have come back.
static void run(double seconds, uint64_t count) {
  int64_t time = clock_now(), until = time + (int64_t)(seconds * 1e9), looked = time;
  uint64_t wanted = returned + count, seen = returned;
  while (time < until || returned < wanted) {
    turn(10);
    time = clock_now();
    if (time < looked + 60000000000) continue;
    if (returned == seen) give_up("nothing has come back for a minute");
    looked = time, seen = returned;
  }
}

// What is in flight comes back: otherwise the server has lost it.
static void land(const struct work *work) {
  work->end();
  int64_t until = clock_now() + 20000000000;
  while (!work->has_landed()) {
    turn(10);
    if (clock_now() > until) give_up("not everything came back: the server lost it");
  }
}

static int measure(const struct work *work) {
  watch_server(options.server);
  work->open();
  work->begin();
  // A slow server is measured for longer: the first window begins with nobody at work, and one is too few.
  uint64_t window = (uint64_t)options.window * (options.is_fanout ? options.count : 1);
  if (options.warm_up > 0) run(options.warm_up, window);
  meter_start();
  run(options.messages ? 0 : options.seconds, options.messages ? options.messages : 2 * window);
  meter_stop();
  land(work);
  meter_print(work->unit);
  return 0;
}

int main(int count, char **words) {
  const char *name = count > 1 ? words[1] : "";
  bool prints_lengths = !strcmp(name, "lengths");
  if (prints_lengths) count--, words++, name = count > 1 ? words[1] : "";
  if (count < 2) end_with_usage();
  options.is_fanout = !strcmp(name, "fanout");
  char **rest = words + 1 + read_options(count - 1, words + 1);
  if (prints_lengths) return baton_print_lengths(), 0;
  const struct driver *driver = find_driver();
  const struct work *work = find_work(name);
  if (work == &mixed_work && driver != &baton_driver) give_up("only Baton's peers are mixed");
  peers_speak(work == &mixed_work ? &mixed_driver : driver, options.port);
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  raise_file_limit();
  pin(options.core);
  if (!strcmp(name, "idle")) return measure_idle();
  if (!strcmp(name, "start")) return measure_start(rest);
  if (!work) end_with_usage();
  return measure(work);
}
