// A crowd: many connections at once to a server that asks who is there. See README.md.
#define _GNU_SOURCE
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "clock.h"
#include "member.h"
#include "process.h"
#include "trouble.h"

static const char usage[] =
  "usage: crowd served|silent|wrong-tokens|half-open [options]\n"
  "options: --port N  --connections N  --seconds S  --core N  --tls\n"
  "         --groups N      tokens baton_crowd-GROUP-a, or -b once that one has failed\n"
  "         --addresses N   that they come from: 127.0.1.1, …\n"
  "         --pause MS      until one that was closed comes back\n"
  "         --churn N       so many a second leave and come back\n"
  "         --returns       all of them, at once, when all have been served\n";

static const char *const manners[] = {"served", "silent", "wrong-tokens", "half-open"};

static int connections = 1000, core = -1;
static double seconds = 5, churn;
static bool returns;

static _Noreturn void end_with_usage(void) {
  fputs(usage, stderr);
  exit(2);
}

static void read_options(int count, char **words) {
  static const struct option names[] = {
    {"port", 1, 0, 'p'}, {"connections", 1, 0, 'k'}, {"seconds", 1, 0, 's'}, {"core", 1, 0, 'c'}, {"tls", 0, 0, 'T'},
    {"groups", 1, 0, 'g'}, {"addresses", 1, 0, 'a'}, {"pause", 1, 0, 'P'}, {"returns", 0, 0, 'r'},
    {"churn", 1, 0, 'C'}, {0}};
  int name, manner = -1;
  for (int i = 0; i < 4 && count > 1; i++) if (!strcmp(words[1], manners[i])) manner = i;
  if (manner < 0) end_with_usage();
  crowd.manner = manner;
  while ((name = getopt_long(count - 1, words + 1, "", names, NULL)) != -1) {
    switch (name) {
      case 'p': crowd.port = atoi(optarg); break;
      case 'k': connections = atoi(optarg); break;
      case 's': seconds = atof(optarg); break;
      case 'c': core = atoi(optarg); break;
      case 'T': crowd.is_encrypted = true; break;
      case 'g': crowd.groups = atoi(optarg); break;
      case 'a': crowd.addresses = atoi(optarg); break;
      case 'P': crowd.pause = atoi(optarg); break;
      case 'C': churn = atof(optarg); break;
      case 'r': returns = true; break;
      default: end_with_usage();
    }
  }
  if (!crowd.port || connections < 1 || crowd.addresses < 1) end_with_usage();
}

static int compare(const void *left, const void *right) {
  double one = *(const double *)left, other = *(const double *)right;
  return (one > other) - (one < other);
}

int main(int count, char **words) {
  enum { ROUNDS = 1000 };
  static double rounds[ROUNDS];
  int round = 0, most = 0;
  read_options(count, words);
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  pin(core);
  raise_file_limit();
  members_begin(connections);
  double dropped = 0;
  int64_t began = clock_now(), over = began + (int64_t)(seconds * 1e9), since = began;
  // A round that has begun is measured to its end, unless it takes a minute.
  while (clock_now() < over || (returns && members_served() < connections && clock_now() < since + 60000000000)) {
    for (; churn && dropped < (clock_now() - began) / 1e9 * churn; dropped += 1) members_drop_one();
    members_turn();
    if (members_served() > most) most = members_served();
    if (members_served() < connections || (!returns && round > 0)) continue;
    if (round < ROUNDS) rounds[round++] = (clock_now() - since) / 1e9;
    if (!returns) continue;
    if (clock_now() >= over) break;
    members_return();
    since = clock_now();
  }
  double length = (clock_now() - began) / 1e9;
  qsort(rounds, round, sizeof *rounds, compare);
  printf(
    "{\"seconds\":%.3f,\"rounds\":%d,\"served_most\":%d,\"served_at_end\":%d,\"all_served_s\":%.3f,"
    "\"all_served_most_s\":%.3f,\"opened\":%lu,\"closed_by_server\":%lu,\"handshakes\":%lu,\"auth_failed\":%lu,"
    "\"refused\":%lu,\"lines\":%lu,\"cpu_seconds\":%.3f}\n",
    length, round, most, members_served(), round ? rounds[round / 2] : 0, round ? rounds[round - 1] : 0, counts.opened,
    counts.closed, counts.handshakes, counts.auth_failed, counts.refused, counts.lines,
    clock_read(CLOCK_PROCESS_CPUTIME_ID) / 1e9);
  members_close();
  return 0;
}
