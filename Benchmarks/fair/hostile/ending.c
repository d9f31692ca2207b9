// Attacks by connections that end: with offers, with links. A probe beside them tells how long the server is silent.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "attack.h"
#include "clock.h"

static struct peer *probe;

// What the server's process has used of its core, in nanoseconds.
static int64_t server_time(void) {
  static clockid_t clock;
  if (!wanted.server) return 0;
  if (!clock && clock_getcpuclockid(wanted.server, &clock)) return 0;
  struct timespec time;
  return clock_gettime(clock, &time) ? 0 : time.tv_sec * 1000000000LL + time.tv_nsec;
}

static double middle(double *values, int count) {
  for (int i = 1; i < count; i++) {
    for (int j = i; j > 0 && values[j - 1] > values[j]; j--) {
      double value = values[j];
      values[j] = values[j - 1], values[j - 1] = value;
    }
  }
  return count ? values[count / 2] : 0;
}

// Follows what the server does after something has ended: how long it is at work, how much of its core that takes, and
// how long a ping takes at most.
struct aftermath {
  double at_work_ms, used_ms, longest_ping_ms;
  bool is_cut;                 // it was not waited for any longer
};

// The server works for 20 µs or so for each ping and each message of others. It is done when it has used less than a
// third of its core for five milliseconds.
static struct aftermath watch_aftermath(int64_t began, int64_t used_before) {
  struct aftermath found = {0};
  int64_t last_busy = began, window = clock_now(), used = server_time(), used_at_end = used_before;
  uint64_t pongs = probe->lines;
  int64_t asked = clock_now();
  say(probe, "{'op':'ping'}\n");
  // An end that was begun is watched to its end, also when the time of the attack is over.
  int64_t until = began + 15000000000;
  while (clock_now() < until && probe->socket >= 0) {
    turn(0);
    int64_t time = clock_now();
    if (probe->lines > pongs) {
      double took = (time - asked) / 1e6;
      if (took > found.longest_ping_ms) found.longest_ping_ms = took;
      pongs = probe->lines, asked = 0;
    }
    if (time >= window + 1000000) {
      int64_t now_used = server_time();
      if ((now_used - used) * 3 > time - window) last_busy = time, used_at_end = now_used;
      used = now_used, window = time;
      if (asked == 0) asked = clock_now(), say(probe, "{'op':'ping'}\n");
    }
    if (asked == 0 && time > last_busy + 5000000) break;
    if (!wanted.server && asked == 0) break;
  }
  found.is_cut = clock_now() >= until;
  if (asked && (clock_now() - asked) / 1e6 > found.longest_ping_ms) found.longest_ping_ms = (clock_now() - asked) / 1e6;
  found.at_work_ms = ((found.is_cut ? clock_now() : last_busy) - began) / 1e6;
  found.used_ms = (used_at_end - used_before) / 1e6;
  return found;
}

// MARK: Closing with links

static long links_to_serve;
static double silences[256];
static int rounds;

static void say_link(struct peer *peer, long number) {
  say(peer, "{'op':'insert','handler':'l%d.%ld'}\n", peer->number, number);
}

static void set_up_probe(void) { probe = open_peer(), rounds = 0; }

static void act_closes(void) {
  struct peer *owners[64];
  int count = wanted.connections < 64 ? wanted.connections : 64;
  long built = 0;
  for (int i = 0; i < count; i++) {
    owners[i] = open_peer();
    built += build(owners[i], 0, links_to_serve / count, say_link);
  }
  most_figure("links", built);
  ping_time(probe);
  int64_t used = server_time(), began = clock_now();
  for (int i = 0; i < count; i++) close_peer(owners[i], false);
  struct aftermath found = watch_aftermath(began, used);
  most_figure("longest ping after a close, ms", found.longest_ping_ms);
  // One that was cut counts only if there is no other.
  if (rounds < 256 && (!found.is_cut || !rounds)) silences[rounds++] = found.at_work_ms;
  figure("server at work after a close, ms", middle(silences, rounds));
  figure("rounds", rounds);
}

static void set_up_10000(void) { links_to_serve = 10000, set_up_probe(); }
static void set_up_20000(void) { links_to_serve = 20000, set_up_probe(); }
static void set_up_40000(void) { links_to_serve = 40000, set_up_probe(); }

// MARK: Dying with offers

enum { MOST_OPEN = 4000, SENDERS = 16, STEP = 250 };
static struct peer *senders[SENDERS];
static double back[2][256];
static int deaths[2];
static long offers_held;

static void count_results(struct peer *peer, const char *line, size_t count) {
  if (begins(line, count, "{\"op\":\"result\"")) peer->answered += 1;
}

static void count_offers(struct peer *peer, const char *line, size_t count) {
  if (begins(line, count, "{\"op\":\"offer\"")) peer->answered += 1;
}

static void set_up_dies(void) {
  set_up_probe();
  for (int i = 0; i < SENDERS; i++) senders[i] = open_peer(), senders[i]->took = count_results;
}

// Offers may come right behind the reply to the insert, so that they are counted from the start.
static void open_handlers(struct peer **handlers, int count) {
  for (int i = 0; i < count; i++) {
    handlers[i] = open_peer();
    handlers[i]->took = count_offers;
    say(
      handlers[i], "{'op':'insert','handler':'h','window':65536,'hold_ms':600000,'share':true,"
      "'timeout_ms':600000}\n");
  }
  for (int i = 0; i < count; i++) wait_for_lines(handlers[i], 1);
}

static long offers_at(struct peer **handlers, int count) {
  long offers = 0;
  for (int i = 0; i < count; i++) offers += handlers[i]->answered;
  return offers;
}

static long results_so_far(void) {
  long results = 0;
  for (int i = 0; i < SENDERS; i++) results += senders[i]->answered;
  return results;
}

// All handlers die at once; the place is held. The first time their messages wait again, the second time they fail. Of
// many handlers the first to die leave their offers to the others: what those lose, too, has failed already.
static void die(struct peer **handlers, int count, int time) {
  int64_t used = server_time(), began = clock_now();
  for (int i = 0; i < count; i++) close_peer(handlers[i], true);
  struct aftermath found = watch_aftermath(began, used);
  if (deaths[time] < 256 && (!found.is_cut || !deaths[time])) back[time][deaths[time]++] = found.at_work_ms;
  most_figure(
    time ? "longest ping after the second death, ms" : "longest ping after a death, ms", found.longest_ping_ms);
  figure(time ? "until all have failed, ms" : "until all are put back, ms", middle(back[time], deaths[time]));
  if (!time && !found.is_cut) most_figure("until all are put back, of the server's core at most, ms", found.used_ms);
}

static void act_dies(void) {
  struct peer *handlers[50];
  int count = wanted.connections < 50 ? wanted.connections : 50;
  open_handlers(handlers, count);
  for (int i = 0; i < SENDERS; i++) senders[i]->answered = 0;
  // Not all at once: what waits for a handler to read has a limit, and would fail.
  for (long sent = SENDERS * STEP; sent <= SENDERS * MOST_OPEN && !is_over() && !is_broken; sent += SENDERS * STEP) {
    for (int i = 0; i < SENDERS * STEP; i++) {
      say(senders[i % SENDERS], "{'op':'send','topic':'t','timeout_ms':600000}\n");
    }
    // The server may take in fewer.
    int64_t until = clock_now() + 1000000000;
    while (offers_at(handlers, count) < sent && clock_now() < until && !is_over() && !is_broken) turn(10);
    if (offers_at(handlers, count) < sent) break;
  }
  offers_held = offers_at(handlers, count);
  most_figure("offers", offers_held);
  if (is_over() || is_broken) return;
  die(handlers, count, 0);
  int64_t began = clock_now();
  open_handlers(handlers, count);
  while (offers_at(handlers, count) + results_so_far() < offers_held && !is_over() && !is_broken) turn(10);
  if (is_over() || is_broken) return;
  figure("until all are offered again, ms", (clock_now() - began) / 1e6);
  die(handlers, count, 1);
  int64_t until = clock_now() + 10000000000;
  while (results_so_far() < offers_held && !is_over() && !is_broken && clock_now() < until) turn(10);
  figure("rounds", deaths[1]);
}

const struct attack ending_attacks[] = {
  {"closes-10000", "connections that close, having served 10,000 links of a chain", set_up_10000, act_closes},
  {"closes-20000", "connections that close, having served 20,000 links of a chain", set_up_20000, act_closes},
  {"closes-40000", "connections that close, having served 40,000 links of a chain", set_up_40000, act_closes},
  {"dies", "handlers that die holding 64,000 offers", set_up_dies, act_dies},
  {0}};
