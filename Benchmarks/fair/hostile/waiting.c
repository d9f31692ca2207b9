// Attacks with what waits, and with what is due all at once.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attack.h"
#include "clock.h"

enum { OPEN = 4096, LESS = 4000 };

// MARK: Many messages with one deadline

static int64_t deadline;
static struct peer *deadline_senders[64];

// They wait at a place that is held, and that nobody serves: one chain for each sender.
static void set_up_timers(void) {
  for (int i = 0; i < wanted.connections && i < 64; i++) {
    struct peer *keeper = open_peer();
    ask(keeper, "{'op':'insert','chain':'timers%d','handler':'h','hold_ms':600000}", i);
    close_peer(keeper, false);
    deadline_senders[i] = open_peer();
  }
}

static void say_timed(struct peer *sender, int chain, int count) {
  long left = (deadline - clock_now()) / 1000000;
  for (int i = 0; i < count; i++) {
    say(sender, "{'op':'send','chain':'timers%d','topic':'t','timeout_ms':%ld}\n", chain, left > 1 ? left : 1);
  }
}

static void act_timers(void) {
  deadline = clock_now() + 500000000;
  uint64_t before = counts.lines;
  int senders = wanted.connections < 64 ? wanted.connections : 64;
  for (int part = 0; part < 8; part++) {
    for (int i = 0; i < senders; i++) say_timed(deadline_senders[i], i, OPEN / 8);
    turn(0);
  }
  uint64_t wanted_lines = before + (uint64_t)senders * OPEN;
  while (counts.lines < wanted_lines && clock_now() < deadline + 3000000000 && !is_over()) turn(10);
  most_figure("messages", counts.lines - before);
}

// MARK: Heartbeats

// Nobody answers: each is pinged, pinged again, and closed.
static void greet_heartbeat(struct peer *peer) { say(peer, "{'op':'hello','heartbeat_ms':100}\n"); }

static void set_up_heartbeats(void) {
  for (int i = 0; i < 2000 && !is_built(); i++) {
    struct peer *peer = open_peer();
    peer->greet = greet_heartbeat;
    greet_heartbeat(peer);
  }
}

// As many as a server takes by default, nearly. Each of them answers.
static void answer_ping(struct peer *peer, const char *line, size_t count) {
  if (begins(line, count, "{\"op\":\"ping\"")) say_bytes(peer, "{\"op\":\"pong\"}\n", 14);
}

static void set_up_heartbeats_all(void) {
  for (int i = 0; i < 9000 && !is_built(); i++) {
    struct peer *peer = open_peer();
    peer->took = answer_ping;
    peer->greet = greet_heartbeat;
    greet_heartbeat(peer);
  }
  figure("heartbeats", peer_count());
}

// MARK: Held places that are over at once

static void say_held(struct peer *peer, long number) {
  say(
    peer, "{'op':'insert','chain':'held%d','handler':'h%ld','hold_ms':100}\n", peer->number % 64, number);
}

static void act_holds(void) {
  long most = 10000 / wanted.connections;
  struct peer *keepers[64];
  int count = wanted.connections < 64 ? wanted.connections : 64;
  for (int i = 0; i < count; i++) {
    keepers[i] = open_peer();
    most_figure("places each", build(keepers[i], 0, most, say_held));
  }
  for (int i = 0; i < count; i++) close_peer(keepers[i], false);
  idle(0.2);
  close_all();
}

static void set_up_nothing(void) {}

// MARK: 10,000 that wait at one link, and all walk on

static struct peer *waiting_owner, *waiting_changer, *waiting_senders[64];

// Results and pongs, or offers: what is answered later.
static void count_lines(struct peer *peer, const char *line, size_t count) {
  static const char offer[] = "{\"op\":\"offer\",\"id\":";
  bool is_offer = begins(line, count, offer);
  if (is_offer) peer->counter = atol(line + strlen(offer));
  if (is_offer || begins(line, count, "{\"op\":\"result\"")) peer->answered += 1;
}

// Until all of them wait, their deadline is far away. The ping behind them is answered when all were taken in. If the
// server takes in fewer, it is not.
static void send_all(void) {
  for (int i = 0; i < 64 && waiting_senders[i]; i++) {
    struct peer *sender = waiting_senders[i];
    sender->answered = sender->lines = 0;
    for (int message = 0; message < LESS; message++) say(sender, "{'op':'send','topic':'t','timeout_ms':60000}\n");
    say(sender, "{'op':'ping'}\n");
  }
  int64_t until = clock_now() + 1000000000;
  for (int i = 0; i < 64 && waiting_senders[i]; i++) {
    struct peer *sender = waiting_senders[i];
    while (sender->lines == (uint64_t)sender->answered && clock_now() < until && !is_over() && !is_broken) turn(10);
  }
}

static void set_up_waiting(void) {
  waiting_owner = open_peer(), waiting_changer = open_peer();
  waiting_owner->took = count_lines;
  struct peer *last = open_peer();
  ask(last, "{'op':'insert','handler':'last','window':65536}");
  answer_with(last, "handled", "");
  int senders = wanted.connections < 3 ? 3 : wanted.connections < 64 ? wanted.connections : 64;
  for (int i = 0; i < 64; i++) waiting_senders[i] = NULL;
  for (int i = 0; i < senders; i++) {
    waiting_senders[i] = open_peer();
    waiting_senders[i]->took = count_lines;
  }
}

// In each round they wait at a link that accepts with 64 patterns. Then it accepts other topics, and goes.
static void act_waiting(void) {
  char patterns[2048] = "'t'", others[2048] = "'o'";
  for (int i = 1; i < 64; i++) {
    sprintf(patterns + strlen(patterns), ",'a.*.%d'", i);
    sprintf(others + strlen(others), ",'b.*.%d'", i);
  }
  waiting_owner->answered = 0;
  say(waiting_owner, "{'op':'insert','handler':'narrow','at':'front','window':1,'accepts':[%s]}\n", patterns);
  send_all();
  long back = 0, most = 0;
  for (int i = 0; i < 64 && waiting_senders[i]; i++) most += LESS;
  say(waiting_changer, "{'op':'replace','handler':'narrow','accepts':[%s]}\n", others);
  say(waiting_changer, "{'op':'remove','handler':'narrow'}\n");
  int64_t until = clock_now() + 5000000000;
  while (back < most && !is_over() && !is_broken && clock_now() < until) {
    for (; waiting_owner->answered > 0; waiting_owner->answered--) {
      say(waiting_owner, "{'op':'handled','id':%ld}\n", waiting_owner->counter - waiting_owner->answered + 1);
    }
    turn(10);
    back = 0;
    for (int i = 0; i < 64 && waiting_senders[i]; i++) back += waiting_senders[i]->answered;
  }
  most_figure("messages", back);
}

// MARK: Lapsed offers

// A handler that leaves 60,000 offers unanswered until they have lapsed, and then lets links come and go.
static struct peer *lapsed_handlers[64];

static void say_lapsing(struct peer *peer) {
  for (int i = 0; i < 100 && peer->state < 15000; i++, peer->state++) {
    say(
      peer, "{'op':'send','chain':'lapsed%d','topic':'t','timeout_ms':50,'reply':false}\n",
      (int)peer->counter);
  }
}

static void say_links(struct peer *peer) {
  for (int i = 0; i < 50; i++) {
    say(
      peer, "{'op':'insert','chain':'x%d','handler':'h'}\n{'op':'remove','chain':'x%d','handler':'h'}\n",
      peer->number, peer->number);
  }
}

static void set_up_lapsed(void) {
  int handlers = wanted.connections < 8 ? wanted.connections : 8;
  for (int i = 0; i < handlers; i++) {
    lapsed_handlers[i] = open_peer();
    ask(lapsed_handlers[i], "{'op':'insert','chain':'lapsed%d','handler':'h','window':65536}", i);
    for (int sender = 0; sender < 4; sender++) {
      struct peer *peer = open_peer();
      peer->fill = say_lapsing, peer->counter = i;
    }
  }
  while (lapsed_handlers[0]->lines < 110000 && !is_built()) turn(10);
  for (int i = 0; i < handlers; i++) lapsed_handlers[i]->fill = say_links;
}

const struct attack waiting_attacks[] = {
  {"timers", "4,096 messages of each connection that all time out at once", set_up_timers, act_timers},
  {"heartbeats", "2,000 connections that want a heartbeat each 100 ms and answer none", set_up_heartbeats},
  {"heartbeats-all", "9,000 connections that want a heartbeat each 100 ms and answer each", set_up_heartbeats_all},
  {"holds", "10,000 held places that are over at once", set_up_nothing, act_holds},
  {"waiting", "10,000 messages that wait at one link and walk on at once", set_up_waiting, act_waiting},
  {"lapsed", "a handler with 60,000 lapsed offers, whose links come and go", set_up_lapsed},
  {0}};
