// What attacks are built with. Everything ends when the time is over.
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attack.h"
#include "clock.h"
#include "trouble.h"

enum { IN_FLIGHT = 256 };

static char reply[4096];
static long granted, refused;

// MARK: One line

static bool is_reply(const char *line, size_t count) {
  static const char *const kinds[] = {"ok", "error", "pong", "welcome", "result", "chains", "explained"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    char beginning[32];
    snprintf(beginning, sizeof beginning, "{\"op\":\"%s\"", kinds[i]);
    if (begins(line, count, beginning)) return true;
  }
  return false;
}

static void take_reply(struct peer *peer, const char *line, size_t count) {
  (void)peer;
  if (!is_reply(line, count)) return;
  size_t kept = count < sizeof reply ? count : sizeof reply - 1;
  memcpy(reply, line, kept);
  reply[kept] = 0;
}

static const char *wait_for_reply(struct peer *peer) {
  void (*took)(struct peer *, const char *, size_t) = peer->took;
  peer->took = take_reply;
  reply[0] = 0;
  while (!reply[0] && !is_over() && peer->socket >= 0) turn(10);
  peer->took = took;
  return reply[0] ? reply : NULL;
}

const char *ask(struct peer *peer, const char *format, ...) {
  char text[8192];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  say(peer, "%s\n", text);
  return wait_for_reply(peer);
}

bool agrees(const char *reply) { return reply && !strncmp(reply, "{\"op\":\"ok\"", 10); }

int64_t ping_time(struct peer *peer) {
  int64_t before = clock_now();
  ask(peer, "{'op':'ping'}");
  return clock_now() - before;
}

long line_limit(struct peer *peer) {
  const char *welcome = ask(peer, "{'op':'hello','name':'hostile'}");
  const char *limit = welcome ? strstr(welcome, "\"max_line\":") : NULL;
  return limit ? atol(limit + 11) : 1 << 20;
}

// MARK: Many lines

static void count_replies(struct peer *peer, const char *line, size_t count) {
  (void)peer;
  if (begins(line, count, "{\"op\":\"ok\"")) granted += 1;
  if (begins(line, count, "{\"op\":\"error\"")) refused += 1;
}

long build(struct peer *peer, long first, long count, void (*say_line)(struct peer *, long)) {
  void (*took)(struct peer *, const char *, size_t) = peer->took;
  peer->took = count_replies;
  granted = refused = 0;
  long said = 0;
  while (!is_built() && peer->socket >= 0) {
    while (said < count && !refused && said < granted + IN_FLIGHT) say_line(peer, first + said++);
    if (granted + refused >= said && (refused || said == count)) break;
    turn(10);
  }
  // Replies to what was built when the time was over still come; they are no concern of the attack.
  peer->took = took;
  return granted;
}

int most_granted(struct peer *peer, int most, void (*say_line)(struct peer *, int)) {
  int low = 1, high = most;
  while (low < high && !is_over() && peer->socket >= 0) {
    int middle = (low + high + 1) / 2;
    say_line(peer, middle);
    const char *said = wait_for_reply(peer);
    if (said && !strncmp(said, "{\"op\":\"error\"", 13)) high = middle - 1; else low = middle;
  }
  return low;
}

void wait_for_lines(struct peer *peer, uint64_t lines) {
  while (peer->lines < lines && !is_over() && peer->socket >= 0) turn(10);
}

void idle(double seconds) {
  int64_t until = clock_now() + (int64_t)(seconds * 1e9);
  while (clock_now() < until && !is_over()) turn(1);
}

// MARK: Peers of usual kinds

// What has begun begins again where it was: a new connection needs no greeting.
static void greet_nobody(struct peer *peer) { peer->state = 0; }

void open_hostile(void (*fill)(struct peer *)) {
  for (int i = 0; i < wanted.connections; i++) {
    struct peer *peer = open_peer();
    peer->fill = fill;
    peer->greet = greet_nobody;
  }
}

static const char *verdict_op, *verdict_members, offer_start[] = "{\"op\":\"offer\",\"id\":";

static void answer(struct peer *peer, const char *line, size_t count) {
  if (!begins(line, count, offer_start)) return;
  peer->answered += 1;
  say(peer, "{'op':'%s','id':%ld%s}\n", verdict_op, atol(line + strlen(offer_start)), verdict_members);
}

void answer_with(struct peer *peer, const char *op, const char *members) {
  verdict_op = op, verdict_members = members;
  peer->took = answer;
}

static const char *the_chain, *the_members;

static void say_link(struct peer *peer, long number) {
  say(peer, "{'op':'insert','chain':'%s','handler':'l%ld'%s}\n", the_chain, number, the_members);
}

long build_links(const char *chain, long count, const char *members) {
  enum { OWNERS = 8 };
  the_chain = chain, the_members = members;
  long links = 0, more = 1;
  // Where a connection may have only a share of what is free, the next one gets a share of the rest.
  for (int i = 0; i < OWNERS && links < count && more && !is_built(); i++) {
    struct peer *owner = open_peer();
    more = build(owner, links, count - links, say_link);
    links += more;
    answer_with(owner, "continue", "");
  }
  figure("links", links);
  return links;
}
