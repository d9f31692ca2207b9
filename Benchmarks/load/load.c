// The load: makes a server work, and measures from outside what that costs. See README.md.
#define _GNU_SOURCE
#include <getopt.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "load.h"

struct options options = {
  .driver_name = "baton", .core = -1, .server_core = -1, .count = 1, .window = 64, .bytes = 128,
  .warm_up = 0.3, .seconds = 1};
const struct driver *driver;
bool is_fanout;

static const char usage[] =
  "usage: load chain|fanout [options]      messages down a chain of --count handlers, or to --count subscribers\n"
  "       load idle [options]              --count connections that have said a word each\n"
  "       load start [options] -- COMMAND  from the start of COMMAND until it answers\n"
  "       load lengths chain|fanout [options]   the lengths of Baton's lines, for the floor\n"
  "options: --driver baton|floor|nats|redis|mqtt  --port N  --pid N  --core N  --server-core N\n"
  "         --count N  --window N  --bytes N\n"
  "         --warm-up S  --seconds S  --messages N  --lengths \"N N ...\"\n"
  "         --links-elsewhere N  --links-here N  --wildcards N  --fresh-topics\n";

void give_up(const char *format, ...) {
  va_list values;
  va_start(values, format);
  fputs("load: ", stderr);
  vfprintf(stderr, format, values);
  fputs("\n", stderr);
  exit(1);
}

void *get_memory(size_t bytes) {
  void *memory = malloc(bytes);
  if (!memory) give_up("no memory");
  return memory;
}

static void read_options(int count, char **words) {
  static const struct option names[] = {
    {"driver", 1, 0, 'd'}, {"port", 1, 0, 'p'}, {"pid", 1, 0, 'P'}, {"core", 1, 0, 'c'},
    {"server-core", 1, 0, 'C'}, {"count", 1, 0, 'k'},
    {"window", 1, 0, 'w'}, {"bytes", 1, 0, 'b'}, {"warm-up", 1, 0, 'u'}, {"seconds", 1, 0, 's'},
    {"messages", 1, 0, 'm'}, {"lengths", 1, 0, 'l'}, {"links-elsewhere", 1, 0, 'E'}, {"links-here", 1, 0, 'H'},
    {"wildcards", 1, 0, 'W'}, {"fresh-topics", 0, 0, 'f'}, {0}};
  int name;
  while ((name = getopt_long(count, words, "+k:w:b:s:", names, NULL)) != -1) {
    switch (name) {
      case 'd': options.driver_name = optarg; break;
      case 'p': options.port = atoi(optarg); break;
      case 'P': options.server = atoi(optarg); break;
      case 'c': options.core = atoi(optarg); break;
      case 'C': options.server_core = atoi(optarg); break;
      case 'k': options.count = atoi(optarg); break;
      case 'w': options.window = atoi(optarg); break;
      case 'b': options.bytes = atoi(optarg); break;
      case 'u': options.warm_up = atof(optarg); break;
      case 's': options.seconds = atof(optarg); break;
      case 'm': options.messages = strtoull(optarg, NULL, 10); break;
      case 'l': options.lengths = optarg; break;
      case 'E': options.links_elsewhere = atoi(optarg); break;
      case 'H': options.links_here = atoi(optarg); break;
      case 'W': options.wildcards = atoi(optarg); break;
      case 'f': options.fresh_topics = true; break;
      default: fputs(usage, stderr), exit(2);
    }
  }
  if (options.count < 1 || options.window < 1 || options.window > 65536) fputs(usage, stderr), exit(2);
}

static void choose_driver(void) {
  const struct driver *all[] = {&baton_driver, &floor_driver, &nats_driver, &redis_driver, &mqtt_driver};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (!strcmp(all[i]->name, options.driver_name)) driver = all[i];
  }
  if (!driver) give_up("there is no driver %s", options.driver_name);
}

void pin(int core) {
  if (core < 0) return;
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core, &cores);
  if (sched_setaffinity(0, sizeof cores, &cores)) give_up("nothing can be kept to core %d", core);
}

static void raise_file_limit(void) {
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// MARK: Messages under way

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
static void land(void) {
  is_landing = true;
  int64_t until = clock_now() + 20000000000;
  while (is_fanout ? !fanout_has_landed() : !chain_has_landed()) {
    turn(10);
    if (clock_now() > until) give_up("not everything came back: the server lost it");
  }
}

static int measure_messages(void) {
  watch_server(options.server);
  if (is_fanout) fanout_open(); else chain_open();
  if (is_fanout) fanout_begin(); else chain_begin();
  // A slow server is measured for longer: the first window begins with nobody at work, and one is too few.
  uint64_t window = (uint64_t)options.window * (is_fanout ? options.count : 1);
  if (options.warm_up > 0) run(options.warm_up, window);
  meter_start();
  run(options.messages ? 0 : options.seconds, options.messages ? options.messages : 2 * window);
  meter_stop();
  land();
  meter_print(is_fanout ? "delivery" : "message");
  return 0;
}

int main(int count, char **words) {
  const char *work = count > 1 ? words[1] : "";
  bool prints_lengths = !strcmp(work, "lengths");
  if (prints_lengths) count--, words++, work = count > 1 ? words[1] : "";
  if (count < 2) return fputs(usage, stderr), 2;
  is_fanout = !strcmp(work, "fanout");
  read_options(count - 1, words + 1);
  if (prints_lengths) return baton_print_lengths(), 0;
  choose_driver();
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  raise_file_limit();
  pin(options.core);
  if (!strcmp(work, "idle")) return measure_idle();
  if (!strcmp(work, "start")) return measure_start(words + 1 + optind);
  if (!is_fanout && strcmp(work, "chain")) return fputs(usage, stderr), 2;
  return measure_messages();
}
