// Attacks with subscriptions: patterns by the hundred thousand, storms, and those who listen to everything.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attack.h"
#include "clock.h"

// MARK: Patterns

// As many as the connection may have, in lines of 64. Then it closes, and begins again.
static void say_patterns(struct peer *peer) {
  if (peer->state) return;
  for (int i = 0; i < 16; i++) {
    char line[8192];
    int used = sprintf(line, "{\"op\":\"subscribe\",\"topics\":[");
    for (int entry = 0; entry < 64; entry++) {
      used += sprintf(line + used, "%s\"p%d.*.n%ld.>\"", entry ? "," : "", peer->number, peer->counter++);
    }
    used += sprintf(line + used, "]}\n");
    say_bytes(peer, line, used);
  }
}

static void begin_again(struct peer *peer) { peer->state = peer->answered = peer->counter = 0; }

static void take_limit(struct peer *peer, const char *line, size_t count) {
  if (begins(line, count, "{\"op\":\"ok\"")) peer->answered += 64;
  if (begins(line, count, "{\"op\":\"error\"")) peer->state = 1;
}

static void open_patterns(void) {
  int peers = wanted.connections < 10 ? 10 : wanted.connections;
  for (int i = 0; i < peers; i++) {
    struct peer *peer = open_peer();
    peer->fill = say_patterns, peer->took = take_limit, peer->greet = begin_again;
  }
}

static void act_patterns(void) {
  bool are_full = true;
  long patterns = 0;
  for (int i = 0; i < peer_count(); i++) are_full &= peer_at(i)->state, patterns += peer_at(i)->answered;
  most_figure("patterns", patterns);
  if (!are_full) return turn(10);
  most_figure("seconds until full", seconds_so_far());
  close_all();
  open_patterns();
}

// MARK: Broadcasts

enum { SUBSCRIBERS = 1000, BATCH = 200 };

static void say_broadcasts(struct peer *peer) {
  for (int i = 0; i < BATCH; i++) {
    say(peer, "{'op':'broadcast','topic':'storm','payload':'a wind from everywhere at once','reply':false}\n");
  }
}

static void greet_storm(struct peer *peer) { say(peer, "{'op':'subscribe','topics':['storm']}\n"); }

static void set_up_broadcasts(void) {
  for (int i = 0; i < SUBSCRIBERS && !is_built(); i++) {
    struct peer *peer = open_peer();
    peer->greet = greet_storm;
    greet_storm(peer);
  }
  turn(10);
  open_hostile(say_broadcasts);
}

// MARK: Starred variants of one topic

static int star_words, most_stars;
static char star_line[256];

static void try_stars(struct peer *peer, int stars) {
  char pattern[64] = "";
  for (int i = 0; i < star_words; i++) strcat(pattern, i < stars ? "*." : "a.");
  say(peer, "{'op':'subscribe','topics':['%sb']}\n", pattern);
}

static void try_words(struct peer *peer, int words) {
  star_words = words;
  try_stars(peer, 0);
}

static long next_variant(long variant) {
  do variant += 1; while (__builtin_popcountl(variant) > most_stars);
  return variant;
}

// Each line has 32 of them. `counter` is the next one.
static void say_variants(struct peer *peer, long number) {
  (void)number;
  say(peer, "{'op':'subscribe','topics':[");
  for (int i = 0; i < 32; i++) {
    char pattern[64] = "";
    for (int word = 0; word < star_words; word++) strcat(pattern, peer->counter >> word & 1 ? "*." : "a.");
    pattern[strlen(pattern) - 1] = 0;
    say(peer, "%s'%s'", i ? "," : "", pattern);
    peer->counter = next_variant(peer->counter) & ((1 << star_words) - 1);
  }
  say(peer, "]}\n");
}

static void say_starred(struct peer *peer) {
  for (int i = 0; i < BATCH; i++) say_bytes(peer, star_line, strlen(star_line));
}

static void set_up_stars(void) {
  struct peer *asker = open_peer();
  star_words = 15, most_stars = most_granted(asker, 15, try_stars);
  star_words = most_granted(asker, 15, try_words);
  if (most_stars > star_words) most_stars = star_words;
  close_peer(asker, false);
  long variants = 0;
  for (long i = 0; i < 1 << star_words; i++) variants += __builtin_popcountl(i) <= most_stars;
  char *end = star_line + sprintf(star_line, "{\"op\":\"broadcast\",\"topic\":\"");
  for (int i = 1; i < star_words; i++) end = stpcpy(end, "a.");
  sprintf(end, "a\",\"payload\":1}\n");
  int peers = wanted.connections > 7 ? wanted.connections : 7;
  for (int i = 0; i < peers; i++) {
    struct peer *peer = open_peer();
    if (!is_built()) most_figure("patterns each", 32 * build(peer, 0, variants / 32, say_variants));
    if (i < wanted.connections) peer->fill = say_starred;
  }
  figure("stars", most_stars);
}

// MARK: Those who listen to everything

enum { LISTENERS = 300 };

static void greet_listener(struct peer *peer) { say(peer, "{'op':'subscribe','topics':['$baton.>']}\n"); }

static void set_up_listeners(void) {
  for (int i = 0; i < LISTENERS && !is_built(); i++) {
    struct peer *peer = open_peer();
    peer->greet = greet_listener;
    greet_listener(peer);
  }
}

static void say_unhandled(struct peer *peer) {
  for (int i = 0; i < BATCH; i++) say(peer, "{'op':'send','topic':'t','chain':'nobody','reply':false}\n");
}

static void set_up_listeners_storm(void) {
  set_up_listeners();
  open_hostile(say_unhandled);
}

static void say_churn(struct peer *peer) {
  for (int i = 0; i < 50; i++) {
    say(peer, "{'op':'insert','handler':'x%d'}\n{'op':'remove','handler':'x%d'}\n", peer->number, peer->number);
  }
}

static void set_up_listeners_churn(void) {
  set_up_listeners();
  open_hostile(say_churn);
}

// MARK: Those who listen to traces that there never are

static void greet_filter(struct peer *peer) {
  static const char *const wheres[] = {
    "'from':'nobody%d'", "'chain':'nobodys%d'", "'topic':'never.*.n%d'", "'status':'rejected'",
    "'slower_than_ms':86400000", "'status':'cancelled','topic':'*.n%d'"};
  char where[64];
  snprintf(where, sizeof where, wheres[peer->number % 6], peer->number);
  say(peer, "{'op':'subscribe','topics':['$baton.trace'],'where':{%s}}\n", where);
}

static struct peer *traced_sender;
static int64_t traced_from;

static void set_up_filters(void) {
  struct peer *handler = open_peer();
  ask(handler, "{'op':'insert','chain':'traced','handler':'h','window':1000}");
  answer_with(handler, "handled", "");
  traced_sender = open_peer();
  for (int i = 0; i < 9000 && !is_built(); i++) {
    struct peer *peer = open_peer();
    peer->greet = greet_filter;
    greet_filter(peer);
  }
  figure("filters", peer_count() - 2);
  traced_from = clock_now();
  traced_sender->counter = 0;
}

// 1,000 messages a second.
static void act_filters(void) {
  long due = (clock_now() - traced_from) / 1000000;
  for (; traced_sender->counter < due; traced_sender->counter++) {
    say(traced_sender, "{'op':'send','id':1,'chain':'traced','topic':'a.b'}\n");
  }
  turn(1);
}

const struct attack listener_attacks[] = {
  {"patterns", "10 connections or more with as many patterns as they may have, again and again", open_patterns,
   act_patterns},
  {"stars", "starred variants of one topic, and broadcasts on it", set_up_stars},
  {"broadcasts", "broadcasts to 1,000 subscribers", set_up_broadcasts},
  {"listeners", "300 listeners to $baton and to traces; they do nothing else", set_up_listeners},
  {"listeners-storm", "300 listeners to $baton and to traces, and messages that nobody handles", set_up_listeners_storm,
   NULL},
  {"filters", "9,000 listeners to traces that there never are, and 1,000 messages a second", set_up_filters, act_filters},
  {"listeners-churn", "300 listeners to $baton, and links that come and go", set_up_listeners_churn},
  {0}};
