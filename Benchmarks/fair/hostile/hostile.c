// Hostile peers: one program that does to a server what peers should not, as fast as the server lets it. See README.md.
// It is one thread on one epoll (wire.c). An attack opens its peers, builds what it needs (building.c) and acts. What
// the server refuses is an answer: the attack then goes on with as much as is allowed.
#define _GNU_SOURCE
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "attack.h"
#include "clock.h"
#include "process.h"
#include "trouble.h"

struct wanted wanted = {.connections = 1, .seconds = 5};

static int64_t started, over, built_until;

static const struct attack *const tables[] = {
  line_attacks, chain_attacks, order_attacks, walk_attacks, waiting_attacks, listener_attacks, crowd_attacks,
  ending_attacks, special_attacks, web_attacks};
enum { TABLES = sizeof tables / sizeof *tables };

// MARK: Time and figures

bool is_over(void) { return clock_now() >= over; }
bool is_built(void) { return is_over() || clock_now() >= built_until; }
double seconds_so_far(void) { return (clock_now() - started) / 1e9; }

static struct {
  const char *name;
  double value;
} figures[32];

static double *place_of(const char *name) {
  for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
    if (figures[i].name && strcmp(figures[i].name, name)) continue;
    figures[i].name = name;
    return &figures[i].value;
  }
  give_up("too many figures");
}

void figure(const char *name, double value) { *place_of(name) = value; }

void most_figure(const char *name, double value) {
  double *place = place_of(name);
  if (value > *place) *place = value;
}

static void report(const struct attack *attack, double set_up_seconds) {
  printf(
    "{\"attack\":\"%s\",\"connections\":%d,\"seconds\":%.3f,\"set_up_seconds\":%.3f,\"bytes_sent\":%lu,"
    "\"bytes_received\":%lu,\"lines_received\":%lu,\"opened\":%lu,\"closed_by_server\":%lu,\"cpu_seconds\":%.3f,"
    "\"figures\":{",
    attack->name, wanted.connections, seconds_so_far(), set_up_seconds, counts.sent, counts.received, counts.lines,
    counts.opened, counts.closed, clock_read(CLOCK_PROCESS_CPUTIME_ID) / 1e9);
  for (size_t i = 0; figures[i].name; i++) printf("%s\"%s\":%.3f", i ? "," : "", figures[i].name, figures[i].value);
  printf("},\"errors\":{");
  print_errors();
  puts("}}");
}

// MARK: Running

// Building may take a third of the time, or the attack's patience. The attack then has at least half of its time.
static double run(const struct attack *attack) {
  int64_t length = (int64_t)(wanted.seconds * 1e9), least = (attack->patience ? attack->patience : 8) * 1000000000LL;
  double set_up_seconds = 0;
  started = clock_now();
  built_until = started + (length / 3 > least ? length / 3 : least);
  over = built_until + length / 2;
  while (true) {
    is_broken = false;
    int64_t began = clock_now();
    attack->set_up();
    int64_t ready = clock_now();
    if (!set_up_seconds) {
      set_up_seconds = (ready - began) / 1e9 + 1e-9;
      over = started + length > ready + length / 2 ? started + length : ready + length / 2;
    }
    while (!is_over() && !is_broken) {
      if (attack->act) attack->act(); else turn(10);
    }
    close_all();
    if (is_over()) return set_up_seconds;
    // The server has closed a peer that the attack cannot do without: all over again.
    built_until = clock_now() + least;
  }
}

static const struct attack *find_attack(const char *name) {
  for (int i = 0; i < TABLES; i++) {
    for (const struct attack *attack = tables[i]; attack->name; attack++) {
      if (!strcmp(attack->name, name)) return attack;
    }
  }
  return NULL;
}

static _Noreturn void end_with_usage(void) {
  fputs("usage: hostile ATTACK --port N [--connections N] [--seconds S] [--core N] [--pid N]\nattacks:\n", stderr);
  for (int i = 0; i < TABLES; i++) {
    for (const struct attack *attack = tables[i]; attack->name; attack++) {
      fprintf(stderr, "  %-16s %s\n", attack->name, attack->what);
    }
  }
  exit(2);
}

int main(int count, char **words) {
  static const struct option names[] = {
    {"port", 1, 0, 'p'}, {"connections", 1, 0, 'k'}, {"seconds", 1, 0, 's'}, {"core", 1, 0, 'c'}, {"pid", 1, 0, 'P'},
    {0}};
  const struct attack *attack = count > 1 ? find_attack(words[1]) : NULL;
  if (!attack) end_with_usage();
  int name, port = 0;
  while ((name = getopt_long(count - 1, words + 1, "k:s:", names, NULL)) != -1) {
    switch (name) {
      case 'p': port = atoi(optarg); break;
      case 'k': wanted.connections = atoi(optarg); break;
      case 's': wanted.seconds = atof(optarg); break;
      case 'c': pin(atoi(optarg)); break;
      case 'P': wanted.server = atoi(optarg); break;
      default: end_with_usage();
    }
  }
  if (!port || wanted.connections < 1) end_with_usage();
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  prctl(PR_SET_TIMERSLACK, 1);
  raise_file_limit();
  wire_begin(port);
  report(attack, run(attack));
  return 0;
}
