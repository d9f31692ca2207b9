// No attack, but what single changes of a long chain cost: one line at a time, with nothing else to do. Each round trip
// has that of a ping subtracted.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attack.h"
#include "clock.h"
#include "trouble.h"

enum { LINKS = 199000, MOST = 20000 };

static struct peer *changer;
static long links;
static double *insert_times, *ping_times;

static int compare(const void *left, const void *right) {
  double one = *(const double *)left, other = *(const double *)right;
  return (one > other) - (one < other);
}

static double at_share(double *values, long count, double share) {
  qsort(values, count, sizeof *values, compare);
  long place = count * share;
  return count ? values[place < count ? place : count - 1] : 0;
}

static double time_of(const char *line) {
  int64_t before = clock_now();
  ask(changer, "%s", line);
  return (clock_now() - before) / 1e3;
}

// One after the other, so that the time of each shows; a table that grows all at once shows as the longest.
static void set_up_costs(void) {
  if (!insert_times) {
    insert_times = get_memory((LINKS + 1) * sizeof(double));
    ping_times = get_memory(MOST * sizeof(double));
  }
  long pings = 0, owners = 0;
  changer = open_peer();
  for (links = 0; links < LINKS && !is_built(); links++) {
    int64_t before = clock_now();
    const char *said = ask(changer, "{'op':'insert','handler':'l%ld'}", links);
    insert_times[links] = (clock_now() - before) / 1e3;
    if (said && !agrees(said)) {
      if (++owners == 8) break;
      changer = open_peer(), links -= 1;
      ping_time(changer);
    } else if (links % 16 == 0 && pings < MOST) {
      ping_times[pings++] = ping_time(changer) / 1e3;
    }
  }
  double ping = at_share(ping_times, pings, 0.5);
  figure("links", links);
  figure("ping p50, µs", ping);
  figure("ping max, µs", at_share(ping_times, pings, 1));
  figure("insert while it grows p50, µs", at_share(insert_times, links, 0.5) - ping);
  figure("insert while it grows max, µs", at_share(insert_times, links, 1) - ping);
  // Room for what is measured now.
  for (int i = 0; i < 20 && links > 100; i++) ask(changer, "{'op':'remove','handler':'l%ld'}", --links);
}

// Each kind of change, with the names under which its figures are told.
enum { PING, FRONT, MIDDLE, BETWEEN, BACK, REPLACE, MOVE, REMOVE, KINDS };
static const char *const names[KINDS][2] = {
  {"ping then p50, µs", "ping then max, µs"}, {"insert at the front p50, µs", "insert at the front max, µs"},
  {"insert in the middle p50, µs", "insert in the middle max, µs"},
  {"insert between two p50, µs", "insert between two max, µs"},
  {"insert at the back p50, µs", "insert at the back max, µs"},
  {"replace p50, µs", "replace max, µs"}, {"move p50, µs", "move max, µs"}, {"remove p50, µs", "remove max, µs"}};
static double *times[KINDS];
static long counts_of[KINDS];

static void measure(int kind, const char *line) {
  double took = time_of(line);
  if (!times[kind]) times[kind] = get_memory(MOST * sizeof(double));
  if (counts_of[kind] < MOST && !is_over()) times[kind][counts_of[kind]++] = took;
}

static void change_links(long turn) {
  static const char *const places[] = {"'at':'front'", NULL, "'after':'l7'", "'at':'back'"};
  char line[256], remove[128];
  for (int place = 0; place < 4; place++) {
    snprintf(remove, sizeof remove, "{'op':'remove','handler':'x'}");
    snprintf(line, sizeof line, "{'op':'insert','handler':'x',%s}", places[place] ? places[place] : "");
    if (!places[place]) {
      snprintf(line, sizeof line, "{'op':'insert','handler':'x','before':'l%ld'}", turn * 7919 % links);
    }
    measure(FRONT + place, line);
    measure(REMOVE, remove);
  }
  long link = turn * 104729 % links;
  snprintf(line, sizeof line, "{'op':'replace','handler':'l%ld'}", link);
  measure(REPLACE, line);
  // There is no op that moves a link: it is taken out, and put elsewhere. The second line is what is measured.
  snprintf(line, sizeof line, "{'op':'remove','handler':'l%ld'}", link);
  measure(REMOVE, line);
  snprintf(
    line, sizeof line, "{'op':'insert','handler':'l%ld','before':'l%ld'}", link, (link + links / 2) % links);
  measure(MOVE, line);
  measure(PING, "{'op':'ping'}");
}

static void act_costs(void) {
  for (long turn = 0; turn < 10000 && !is_over() && !is_broken; turn++) {
    change_links(turn);
    if (turn % 100 == 99) {
      // Ranks between two links run out after some fifty inserts that stay; here they all go again.
      for (int i = 0; i < 60; i++) {
        char line[128];
        snprintf(line, sizeof line, "{'op':'insert','handler':'b%d','after':'l7'}", i);
        measure(BETWEEN, line);
      }
      for (int i = 0; i < 60; i++) ask(changer, "{'op':'remove','handler':'b%d'}", i);
    }
  }
  double ping = at_share(times[PING], counts_of[PING], 0.5);
  for (int kind = 0; kind < KINDS; kind++) {
    double rest = kind == PING ? 0 : ping;
    figure(names[kind][0], at_share(times[kind], counts_of[kind], 0.5) - rest);
    figure(names[kind][1], at_share(times[kind], counts_of[kind], 1) - rest);
  }
}

const struct attack special_attacks[] = {
  {"costs", "no attack: what one change of a long chain costs", set_up_costs, act_costs, 25}, {0}};
