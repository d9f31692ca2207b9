// Attacks by many connections: unfinished lines, coming and going, those who do not read.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attack.h"
#include "clock.h"

// MARK: Unfinished lines

static char *half_line;
enum { HALF = 1040000 };

static void say_half(struct peer *peer) { say_bytes(peer, half_line, HALF); }

static void set_up_unfinished(void) {
  if (!half_line) half_line = malloc(HALF);
  memset(half_line, 'x', HALF);
  memcpy(half_line, "{\"op\":\"ping\",\"id\":\"", 19);
  for (int i = 0; i < 262; i++) {
    struct peer *peer = open_peer();
    peer->greet = say_half;
    say_half(peer);
  }
}

// MARK: Coming and going

// What each leaves behind, for the server to clear away.
static void leave_much(struct peer *peer) {
  static char lines[4096];
  char *end = lines;
  if (!lines[0]) {
    end = stpcpy(end, "{\"op\":\"hello\",\"heartbeat_ms\":60000}\n{\"op\":\"subscribe\",\"topics\":[\"a\"");
    for (int i = 0; i < 63; i++) end += sprintf(end, ",\"c.*.n%d\"", i);
    stpcpy(end, "]}\n{\"op\":\"insert\",\"handler\":\"h\",\"share\":true}\n");
  }
  say_bytes(peer, lines, strlen(lines));
}

static void act_connections(void) {
  struct peer *peers[64];
  int count = wanted.connections < 16 ? 16 : wanted.connections < 64 ? wanted.connections : 64;
  for (int i = 0; i < count; i++) peers[i] = open_peer(), leave_much(peers[i]);
  // When the last one is answered, all were accepted: a queue that is full would make the next ones wait.
  int64_t until = clock_now() + 1000000000;
  while (!peers[count - 1]->lines && peers[count - 1]->socket >= 0 && clock_now() < until) turn(10);
  // With a reset: a port is free again at once.
  for (int i = 0; i < count; i++) close_peer(peers[i], true);
  close_all();
}

static void set_up_nothing(void) {}

// MARK: Those who do not read

enum { DEAF = 100 };
static char *event_line;

static void greet_subscriber(struct peer *peer) { say(peer, "{'op':'subscribe','topics':['storm']}\n"); }
static void greet_asker(struct peer *peer) { (void)peer; }
static void say_help(struct peer *peer) {
  for (int i = 0; i < 100; i++) say_bytes(peer, "{\"op\":\"help\"}\n", 14);
}

static void say_storm(struct peer *peer) { say_bytes(peer, event_line, strlen(event_line)); }

static void set_up_slow_readers(void) {
  enum { PAYLOAD = 60000 };
  if (!event_line) event_line = malloc(PAYLOAD + 200);
  char *end = stpcpy(event_line, "{\"op\":\"broadcast\",\"topic\":\"storm\",\"reply\":false,\"payload\":\"");
  memset(end, 'x', PAYLOAD);
  strcpy(end + PAYLOAD, "\"}\n");
  for (int i = 0; i < DEAF; i++) {
    struct peer *subscriber = open_peer(), *asker = open_peer();
    subscriber->is_deaf = asker->is_deaf = true;
    subscriber->greet = greet_subscriber, greet_subscriber(subscriber);
    asker->greet = greet_asker, asker->fill = say_help;
  }
  open_hostile(say_storm);
}

// MARK: Senders that have to wait

// Each has as many open messages as it may have, and more of them unread: nobody answers.
static void say_stuck(struct peer *peer) {
  for (int i = 0; i < 100; i++) {
    peer->counter = (peer->counter * 7919 + 104729) % 1000003;
    say(peer, "{'op':'send','topic':'t','timeout_ms':%ld}\n", 500 + peer->counter % 1000);
  }
}

static void set_up_stuck(void) {
  struct peer *handler = open_peer();
  ask(handler, "{'op':'insert','handler':'h','window':1,'hold_ms':600000}");
  int peers = wanted.connections < 10 ? 10 : wanted.connections;
  for (int i = 0; i < peers; i++) {
    struct peer *peer = open_peer();
    peer->fill = say_stuck;
    peer->greet = greet_asker;
  }
}

// Long messages, until there is no room for any: each sender's wait at a held place of its own.
static void say_crowd(struct peer *peer) {
  static char text[60000];
  memset(text, 'x', sizeof text);
  peer->counter = (peer->counter * 7919 + 104729) % 1000003;
  say(
    peer, "{'op':'send','chain':'crowd%d','topic':'t','timeout_ms':%ld,'payload':'", peer->number % 64,
    500 + peer->counter % 1000);
  say_bytes(peer, text, sizeof text);
  say(peer, "'}\n");
}

static void set_up_crowded(void) {
  for (int i = 0; i < 64 && !is_built(); i++) {
    struct peer *keeper = open_peer();
    ask(keeper, "{'op':'insert','chain':'crowd%d','handler':'h','hold_ms':600000}", i);
    close_peer(keeper, false);
  }
  open_hostile(say_crowd);
}

// MARK: Senders that send all at once

enum { AT_ONCE = 4090 };

static void count_results(struct peer *peer, const char *line, size_t count) {
  if (begins(line, count, "{\"op\":\"result\"")) peer->answered += 1;
}

// Each of 16 senders or more, to one handler that takes all of it.
static void set_up_at_once(void) {
  struct peer *handler = open_peer();
  ask(handler, "{'op':'insert','chain':'at-once','handler':'h','window':65536}");
  answer_with(handler, "handled", "");
  int count = wanted.connections < 16 ? 16 : wanted.connections;
  for (int i = 0; i < count; i++) open_peer()->took = count_results;
}

static void act_at_once(void) {
  for (int i = 1; i < peer_count(); i++) {
    struct peer *peer = peer_at(i);
    if (peer->answered < peer->counter) continue;
    for (int message = 0; message < AT_ONCE; message++) {
      say(peer, "{'op':'send','topic':'t','chain':'at-once','payload':'12345678'}\n");
    }
    peer->counter += AT_ONCE;
    most_figure("rounds", peer->counter / AT_ONCE);
  }
  turn(10);
}

// MARK: Senders that go

// Their messages are carried to their end without them.
static void act_orphans(void) {
  enum { OPEN = 4000 };
  struct peer *senders[64];
  // One alone waits for its answer before it closes.
  int count = wanted.connections < 4 ? 4 : wanted.connections < 64 ? wanted.connections : 64;
  for (int i = 0; i < count; i++) {
    senders[i] = open_peer();
    for (int message = 0; message < OPEN; message++) {
      say(senders[i], "{'op':'send','chain':'orphans','topic':'t','timeout_ms':300}\n");
    }
    say(senders[i], "{'op':'ping'}\n");
  }
  // The first answer is the pong, when all were taken in, or the first result.
  for (int i = 0; i < count; i++) wait_for_lines(senders[i], 1);
  close_all();
}

static void set_up_orphans(void) {
  struct peer *keeper = open_peer();
  ask(keeper, "{'op':'insert','chain':'orphans','handler':'h','hold_ms':86400000}");
}

const struct attack crowd_attacks[] = {
  {"unfinished", "262 connections with 1 MB of an unfinished line each", set_up_unfinished},
  {"connections", "connections that open and close as fast as they can", set_up_nothing, act_connections},
  {"slow-readers", "200 connections that read nothing, and a storm of long events", set_up_slow_readers},
  {"stuck", "10 senders or more with as many open messages as they may have, and more behind them", set_up_stuck},
  {"crowded", "long messages that nobody answers, until there is no room for more", set_up_crowded},
  {"at-once", "16 senders or more that send 4,090 messages at once to one handler, again and again", set_up_at_once,
   act_at_once},
  {"orphans", "senders that close with 4,000 open messages, again and again", set_up_orphans, act_orphans},
  {0}};
