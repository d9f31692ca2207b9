// Baton with peers of many kinds on one server, so that a line is rarely followed by one of the same spelling. Senders
// spell their lines as different libraries and people do, with small, structured and long payloads. Handlers answer in
// different spellings. Others broadcast, ping, insert and remove, subscribe and unsubscribe.
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "mixed_lines.h"
#include "options.h"
#include "trouble.h"
#include "work.h"

// What the sender of each place says, and which request is next.
static struct place {
  struct request requests[2];
  int next;
} *places;
static struct spelled_verdict verdicts[MIXED_KINDS * MIXED_LINKS];

static void join(struct peer *peer) {
  if (peer->role == HANDLER) {
    verdicts[peer->number] = mixed_verdict(peer->number);
    peer_print(
      peer, "{\"op\":\"insert\",\"handler\":\"%s-%d\",\"accepts\":[\"%s.>\"],\"rank\":%d,\"window\":256}\n",
      mixed_area(peer->number / MIXED_LINKS), peer->number % MIXED_LINKS, mixed_area(peer->number / MIXED_LINKS),
      peer->number % MIXED_LINKS);
  }
  if (peer->role == SUBSCRIBER) {
    peer_print(peer, "{\"op\":\"subscribe\",\"reply\":false,\"topics\":[\"news.%s\"]}\n", peer->number % 2 ? "*" : ">");
  }
  if (peer->role == SENDER) {
    if (!places) places = get_memory(options.window * sizeof *places);
    mixed_requests(peer->number, places[peer->number].requests);
    places[peer->number].next = 0;
  }
  peer_say(peer, "{\"op\":\"ping\"}\n", 14);
}

static void send(struct peer *sender, uint32_t sequence, uint32_t slot) {
  (void)sequence;
  const char *line = places[slot].requests[places[slot].next].line;
  peer_say(sender, line, strlen(line));
}

// MARK: What comes

static bool has_start(const char *line, size_t count, const char *start) {
  return count >= strlen(start) && memcmp(line, start, strlen(start)) == 0;
}

_Noreturn static void give_up_at(const char *line, size_t count) {
  give_up("Baton said: %.*s", (int)(count < 300 ? count : 300), line);
}

static void took_answer(struct peer *sender, const char *line, size_t count) {
  struct place *place = &places[sender->number];
  if (!has_start(line, count, place->requests[place->next].answer)) give_up_at(line, count);
  place->next ^= 1;
  chain_back(sender->number);
}

static void took_offer(struct peer *handler, const char *line, size_t count) {
  static const char start[] = "{\"op\":\"offer\",\"id\":";
  if (!has_start(line, count, start)) give_up_at(line, count);
  struct spelled_verdict verdict = verdicts[handler->number];
  peer_say(handler, verdict.before, strlen(verdict.before));
  const char *id = line + strlen(start);
  peer_say(handler, id, strspn(id, "0123456789"));
  peer_say(handler, verdict.behind, strlen(verdict.behind));
}

static void took_line(struct peer *peer, const char *line, size_t count) {
  if (!peer->is_ready) {
    if (has_start(line, count, "{\"op\":\"pong\"")) return peer_is_ready(peer);
    if (!has_start(line, count, "{\"op\":\"ok\"")) give_up_at(line, count);
  } else if (peer->role == HANDLER) {
    took_offer(peer, line, count);
  } else if (peer->role == SENDER) {
    took_answer(peer, line, count);
  } else if (!has_start(line, count, "{\"op\":\"event\",\"topic\":\"news.")) {
    give_up_at(line, count);
  }
}

static size_t took(struct peer *peer, char *bytes, size_t count) {
  size_t at = 0;
  for (;;) {
    const char *line = bytes + at, *end = memchr(line, '\n', count - at);
    if (!end) return at;
    took_line(peer, line, end - line);
    at = end + 1 - bytes;
  }
}

const struct driver mixed_driver = {"mixed", "baton", join, took, send};
