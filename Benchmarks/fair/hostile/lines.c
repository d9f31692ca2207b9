// Attacks with lines alone: they are cheap to send and dear to read or to answer.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attack.h"
#include "trouble.h"

enum { BLOCK = 64 << 10 };

// What is said again and again.
static char *block;
static size_t block_count, block_room;

static void begin_block(size_t room) {
  free(block);
  block = get_memory(room + 1);
  block_count = 0, block_room = room;
}

static void add(const char *text) {
  size_t count = strlen(text);
  if (block_count + count > block_room) give_up("a block is too small");
  memcpy(block + block_count, text, count);
  block_count += count;
}

static void say_block(struct peer *peer) { say_bytes(peer, block, block_count); }

// MARK: Pings

static void set_up_ping(void) {
  begin_block(BLOCK);
  while (block_count + 14 <= BLOCK) add("{\"op\":\"ping\"}\n");
  open_hostile(say_block);
}

// MARK: Long lines

static const char beginning[] = "{\"op\":\"send\",\"chain\":\"nobody\",\"topic\":\"t\",\"payload\":";

static long begin_line(void) {
  struct peer *asker = open_peer();
  long limit = line_limit(asker);
  close_peer(asker, false);
  begin_block(limit);
  add(beginning);
  // The payload may be shorter than the line by so much.
  return limit - 4096 - 64;
}

static void set_up_text(void) {
  long room = begin_line();
  add("\"");
  memset(block + block_count, 'x', room), block_count += room;
  add("\"}\n");
  open_hostile(say_block);
}

static void set_up_nested(void) {
  enum { DEPTH = 100 };
  long room = begin_line();
  add("[0");
  while ((long)block_count < room - 2 * DEPTH) {
    add(",");
    memset(block + block_count, '[', DEPTH), block_count += DEPTH;
    memset(block + block_count, ']', DEPTH), block_count += DEPTH;
  }
  add("]}\n");
  open_hostile(say_block);
}

static void set_up_members(void) {
  long room = begin_line(), members = 0;
  add("{");
  while ((long)block_count < room - 32) {
    char text[32];
    snprintf(text, sizeof text, "%s\"m%07ld\":%ld", members ? "," : "", members, members % 100);
    add(text);
    members += 1;
  }
  add("}}\n");
  figure("members", members);
  open_hostile(say_block);
}

// MARK: New topics

static char head[300];         // the words that all topics or patterns share

static void fill_head(int words, const char *word) {
  head[0] = 0;
  for (int i = 1; i < words; i++) strcat(head, word);
}

static void try_topic(struct peer *peer, int words) {
  fill_head(words, "a.");
  say(peer, "{'op':'explain','topic':'%sa'}\n", head);
}

static void say_topics(struct peer *peer) {
  for (int i = 0; i < 100; i++) {
    long number = peer->counter++ * 64 + peer->number;
    say(peer, "{'op':'send','topic':'%s%ld'}\n{'op':'broadcast','topic':'%s%ld'}\n", head, number, head, number);
  }
}

static void set_up_topics(void) {
  struct peer *asker = open_peer();
  int words = most_granted(asker, 120, try_topic);
  close_peer(asker, false);
  // 64 patterns that begin as the topics do, so that each of them has to be looked at.
  struct peer *listener = open_peer();
  char patterns[16384] = "";
  int most = words < 60 ? words : 60;
  for (int i = 1; i < most; i++) {
    strcat(patterns, i > 1 ? ",\"" : "\"");
    for (int word = 0; word < i; word++) strcat(patterns, word == i / 2 ? "*." : "a.");
    strcat(patterns, "never\"");
  }
  char line[17000];
  int count = snprintf(line, sizeof line, "{\"op\":\"insert\",\"handler\":\"h\",\"accepts\":[%s]}\n"
                       "{\"op\":\"subscribe\",\"topics\":[%s]}\n", patterns, patterns);
  say_bytes(listener, line, count);
  wait_for_lines(listener, 2);
  fill_head(words, "a.");
  figure("words", words);
  open_hostile(say_topics);
}

// MARK: Patterns that come and go

static void try_pattern(struct peer *peer, int words) {
  fill_head(words, ".a");
  say(peer, "{'op':'subscribe','topics':['a%s']}\n", head);
}

// The first word tells them apart, so that the words of one are nobody else's.
static void say_subscriptions(struct peer *peer) {
  static char patterns[32768];
  for (int line = 0; line < 8; line++) {
    char *end = patterns;
    for (int entry = 0; entry < 64; entry++) {
      char first[32];
      snprintf(first, sizeof first, "%s\"%d-%ld", entry ? "," : "", peer->number, peer->counter++ % 100000);
      end = stpcpy(stpcpy(stpcpy(end, first), head), "\"");
    }
    for (int is_end = 0; is_end < 2; is_end++) {
      const char *op = is_end ? "{\"op\":\"unsubscribe\",\"topics\":[" : "{\"op\":\"subscribe\",\"topics\":[";
      say_bytes(peer, op, strlen(op));
      say_bytes(peer, patterns, end - patterns);
      say_bytes(peer, "]}\n", 3);
    }
  }
}

static void set_up_subscribe(void) {
  struct peer *asker = open_peer();
  int words = most_granted(asker, 120, try_pattern);
  close_peer(asker, false);
  fill_head(words, ".a");
  figure("words", words);
  open_hostile(say_subscriptions);
}

// MARK: Names that are nearly there

enum { NEAR = 50 };

static void say_near_link(struct peer *peer, long number) {
  say(peer, "{'op':'insert','chain':'near','handler':'%s%02ld'}\n", head, number);
}

static void say_near_chain(struct peer *peer, long number) {
  say(peer, "{'op':'insert','chain':'%s%02ld','handler':'h'}\n", head, number);
}

static void set_up_nearest(void) {
  struct peer *owner = open_peer();
  fill_head(63, "a");
  build(owner, 0, NEAR, say_near_chain);
  figure("near names", build(owner, 0, NEAR, say_near_link));
  begin_block(BLOCK);
  char lines[512];
  snprintf(
    lines, sizeof lines, "{\"op\":\"remove\",\"chain\":\"near\",\"handler\":\"%sxy\"}\n"
    "{\"op\":\"remove\",\"chain\":\"%sxy\",\"handler\":\"h\"}\n", head, head);
  while (block_count + strlen(lines) <= BLOCK) add(lines);
  open_hostile(say_block);
}

const struct attack line_attacks[] = {
  {"ping", "pings, as fast as they can be sent", set_up_ping},
  {"text", "lines near the limit: one text", set_up_text},
  {"nested", "lines near the limit: arrays in arrays", set_up_nested},
  {"members", "lines near the limit: one object of many members", set_up_members},
  {"topics", "topics of many words that are all different, sent and broadcast", set_up_topics},
  {"subscribe", "patterns of many words, subscribed and unsubscribed", set_up_subscribe},
  {"nearest", "names that are nearly those of 50 links and 50 chains", set_up_nearest},
  {0}};
