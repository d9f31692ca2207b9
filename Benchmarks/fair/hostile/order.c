// Attacks on the order of a long chain: links that come, go, and change places.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attack.h"

enum { LINKS = 180000, BATCH = 50 };

static long links;

// Each block inserts some links at one place and takes them out again, so that the limit is no matter.
static void say_inserts(struct peer *peer, const char *place) {
  for (int i = 0; i < BATCH; i++) {
    say(peer, "{'op':'insert','handler':'x%d.%d',%s}\n", peer->number, i, place);
  }
  for (int i = 0; i < BATCH; i++) say(peer, "{'op':'remove','handler':'x%d.%d'}\n", peer->number, i);
}

static void say_front(struct peer *peer) { say_inserts(peer, "'at':'front'"); }

// Half way between the same link and the one that came last: after fifty there is no number left.
static void say_between(struct peer *peer) {
  char place[64];
  snprintf(place, sizeof place, "'after':'l%d'", peer->number % 8);
  say_inserts(peer, place);
}

static void say_middle(struct peer *peer) {
  char place[64];
  snprintf(place, sizeof place, "'before':'l%ld'", (peer->counter++ * 7919 + peer->number) % (links ? links : 1));
  say_inserts(peer, place);
}

static void say_replace(struct peer *peer) {
  for (int i = 0; i < 2 * BATCH; i++) {
    peer->counter = (peer->counter * 7919 + 13) % (links ? links : 1);
    say(peer, "{'op':'replace','handler':'l%ld'}\n", peer->counter);
  }
}

// Takes out links of the chain from its front on, and puts them at its back.
static void say_moves(struct peer *peer) {
  for (int i = 0; i < BATCH; i++) {
    long link = (peer->counter++ * wanted.connections + peer->number % wanted.connections) % (links ? links : 1);
    say(peer, "{'op':'remove','handler':'l%ld'}\n{'op':'insert','handler':'l%ld'}\n", link, link);
  }
}

// The list of the links for a new topic has to be made; no link is asked.
static void say_new_topics(struct peer *peer) {
  for (int i = 0; i < BATCH; i++) say(peer, "{'op':'explain','topic':'no.t%d.%ld'}\n", peer->number, peer->counter++);
}

static void say_new_messages(struct peer *peer) {
  for (int i = 0; i < BATCH; i++) {
    say(peer, "{'op':'send','topic':'t%d.%ld','timeout_ms':1000}\n", peer->number, peer->counter++);
  }
}

// Many topics are known, and each change of the chain changes what is known of them.
static void say_known_topics(struct peer *peer) {
  enum { KNOWN = 4096 };
  for (int i = 0; i < BATCH; i++) {
    say(
      peer, "{'op':'insert','handler':'x%d'}\n{'op':'explain','topic':'never.t%ld'}\n"
      "{'op':'remove','handler':'x%d'}\n", peer->number, peer->counter++ % KNOWN, peer->number);
  }
}

static void build_long_chain(const char *members) {
  links = build_links("main", LINKS, members);
  // Room for those that come and go.
  struct peer *remover = open_peer();
  long room = (long)wanted.connections * BATCH * 2;
  for (long i = 0; i < room && i < links / 2; i++) say(remover, "{'op':'remove','handler':'l%ld'}\n", --links);
  wait_for_lines(remover, room);
}

static void set_up(const char *members, void (*fill)(struct peer *)) {
  build_long_chain(members);
  open_hostile(fill);
}

static void set_up_front(void) { set_up("", say_front); }
static void set_up_between(void) { set_up("", say_between); }
static void set_up_middle(void) { set_up("", say_middle); }
static void set_up_replace(void) { set_up("", say_replace); }
static void set_up_moves(void) { set_up("", say_moves); }
static void set_up_topics(void) { set_up("", say_new_messages); }
static void set_up_other_topics(void) { set_up(",'accepts':['*.never','a.*.b']", say_new_topics); }

static void say_known(struct peer *peer, long number) {
  say(peer, "{'op':'send','topic':'never.t%ld','reply':false}\n{'op':'subscribe','topics':['x']}\n", number);
}

static void set_up_lists(void) {
  links = build_links("main", 1000, ",'accepts':['a.*','*.b']");
  build(open_peer(), 0, 4096, say_known);
  open_hostile(say_known_topics);
}

// MARK: A churner beside walks

// One chain has as many mounts as it may, each with a link. Messages walk through them while links come and go in
// another chain, so that what was counted ahead counts no more.
enum { MOUNTS = 1000 };

static void say_mount(struct peer *peer, long number) {
  say(peer, "{'op':'mount','chain':'walked','on':'w%ld'}\n", number);
}

static void say_mounted_link(struct peer *peer, long number) {
  say(peer, "{'op':'insert','chain':'w%ld','handler':'h'}\n", number);
}

static void say_walkers(struct peer *peer) {
  for (int i = 0; i < BATCH; i++) say(peer, "{'op':'send','chain':'walked','topic':'t','timeout_ms':2000}\n");
}

static void set_up_churner(void) {
  struct peer *maker = open_peer(), *handler = open_peer();
  // Mounts stay when their maker is closed and the attack begins anew.
  static long mounts;
  if (!mounts) mounts = build(maker, 0, MOUNTS, say_mount);
  build(handler, 0, mounts, say_mounted_link);
  answer_with(handler, "continue", "");
  figure("mounts", mounts);
  for (int i = 0; i < 4; i++) open_peer()->fill = say_walkers;
  open_hostile(say_front);
}

// One message stands at a link of the chain for as long as the attack takes, so that no version of it is over.
static void set_up_old_walk(void) {
  struct peer *handler = open_peer(), *sender = open_peer();
  ask(handler, "{'op':'insert','handler':'old','timeout_ms':86400000}");
  ask(handler, "{'op':'insert','handler':'next'}");
  say(sender, "{'op':'send','topic':'t','timeout_ms':86400000}\n");
  wait_for_lines(handler, 3);
  open_hostile(say_front);
}

const struct attack order_attacks[] = {
  {"links-front", "links inserted at the front of a long chain, and removed", set_up_front},
  {"links-between", "links inserted at one place between two links, so that ranks run out", set_up_between},
  {"links-middle", "links inserted before links in the middle of a long chain", set_up_middle},
  {"links-replace", "links of a long chain replaced", set_up_replace},
  {"links-move", "links of a long chain removed, and inserted at its back", set_up_moves},
  {"links-topics", "messages with new topics to a long chain that accepts all of them", set_up_topics},
  {"links-others", "new topics that no link of a long chain accepts", set_up_other_topics},
  {"lists", "links that come and go in a chain of which 4,096 topics are known", set_up_lists},
  {"churner", "links that come and go while messages walk through many mounts", set_up_churner},
  {"old-walk", "links that come and go while one old message stands in their chain", set_up_old_walk},
  {0}};
