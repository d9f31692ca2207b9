// Attacks with messages on their way: replicas, keys, shadows, results of many links.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attack.h"

enum { BATCH = 100 };

// MARK: Replicas

static void say_messages(struct peer *peer) {
  for (int i = 0; i < BATCH; i++) say(peer, "{'op':'send','topic':'t','timeout_ms':2000}\n");
}

static void set_up_replicas(void) {
  enum { REPLICAS = 900 };
  int replicas = 0;
  while (replicas < REPLICAS && !is_built()) {
    struct peer *replica = open_peer();
    if (!agrees(ask(replica, "{'op':'insert','handler':'h','share':true}"))) break;
    answer_with(replica, "handled", "");
    replicas += 1;
  }
  figure("replicas", replicas);
  open_hostile(say_messages);
}

// MARK: Keys

// A new key with each message.
static void say_keys(struct peer *peer) {
  for (int i = 0; i < BATCH; i++) {
    say(
      peer, "{'op':'send','topic':'t','key':'k%d.%ld','timeout_ms':%d}\n", peer->number, peer->counter,
      1000 + (int)(peer->counter * 7919 % 1000));
    peer->counter += 1;
  }
}

static void set_up_keys(void) {
  struct peer *handler = open_peer();
  ask(handler, "{'op':'insert','handler':'h','window':65536}");
  answer_with(handler, "handled", "");
  // One sender alone has to wait for its results.
  if (wanted.connections == 1) open_peer()->fill = say_keys;
  open_hostile(say_keys);
}

// All wait for one message that nobody answers, and each of them ends at another time: from the middle of the queue.
static void say_one_key(struct peer *peer) {
  for (int i = 0; i < BATCH; i++) {
    peer->counter = (peer->counter * 7919 + 104729) % 1000003;
    say(peer, "{'op':'send','topic':'t','key':'one','timeout_ms':%ld}\n", 1 + peer->counter % 200);
  }
}

static void set_up_one_key(void) {
  struct peer *handler = open_peer(), *first = open_peer();
  ask(handler, "{'op':'insert','handler':'h','timeout_ms':86400000}");
  say(first, "{'op':'send','topic':'t','key':'one','timeout_ms':86400000}\n");
  wait_for_lines(handler, 2);
  // 10,000 of them, even for one hostile peer.
  for (int i = wanted.connections; i < 3; i++) open_peer()->fill = say_one_key;
  open_hostile(say_one_key);
}

// MARK: Shadows

static void set_up_shadows(void) {
  enum { SHADOWS = 300 };
  build_links("main", SHADOWS, ",'shadow':true");
  struct peer *handler = open_peer();
  ask(handler, "{'op':'insert','handler':'h'}");
  answer_with(handler, "handled", "");
  open_hostile(say_messages);
}

// MARK: Mode all

static void say_to_all(struct peer *peer) {
  for (int i = 0; i < BATCH; i++) say(peer, "{'op':'send','topic':'t','mode':'all','timeout_ms':60000}\n");
}

static void say_link(struct peer *peer, long number) { say(peer, "{'op':'insert','handler':'l%ld'}\n", number); }

static void set_up_all(void) {
  enum { LINKS = 1000 };
  struct peer *handler = open_peer();
  figure("links", build(handler, 0, LINKS, say_link));
  answer_with(handler, "handled", ",'payload':'here, with all that belongs to it'");
  open_hostile(say_to_all);
}

const struct attack walk_attacks[] = {
  {"replicas", "messages to a link with many replicas", set_up_replicas},
  {"keys", "messages, each with a key of its own", set_up_keys},
  {"one-key", "10,000 messages that wait for one key, and end in any order", set_up_one_key},
  {"shadows", "messages past 300 shadows", set_up_shadows},
  {"all", "messages of mode all to 1,000 links", set_up_all},
  {0}};
