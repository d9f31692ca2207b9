// Redis: RESP3, so that one connection may listen and publish, and without replies to what is published.
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "broker.h"
#include "trouble.h"

static size_t greet(char *at) { return sprintf(at, "HELLO 3\r\n"); }

static size_t subscribe(char *at, const char *subject, int number) {
  (void)number;
  return sprintf(at, "SUBSCRIBE %s\r\n", subject);
}

static size_t subscribe_pattern(char *at, int number) {
  static const char *const patterns[] = {"other.%d.*", "*.other%d", "other.%d.?*", "*.*.%d"};
  char pattern[64];
  snprintf(pattern, sizeof pattern, patterns[number % 4], number);
  return sprintf(at, "PSUBSCRIBE %s\r\n", pattern);
}

static size_t ask(char *at) { return sprintf(at, "PING\r\nCLIENT REPLY OFF\r\n"); }

static size_t publish(char *at, const char *subject, size_t payload) {
  return sprintf(at, "*3\r\n$7\r\nPUBLISH\r\n$%zu\r\n%s\r\n$%zu\r\n", strlen(subject), subject, payload);
}

static size_t message(char *at, const char *subject, size_t payload) {
  return sprintf(at, ">3\r\n$7\r\nmessage\r\n$%zu\r\n%s\r\n$%zu\r\n", strlen(subject), subject, payload);
}

// What HELLO and the subscriptions are answered is passed over, up to the answer to PING. Nothing but messages follows.
static size_t other(struct peer *peer, char *bytes, size_t count) {
  if (peer->is_ready && peer->frame_bytes && count < peer->expected_bytes) return 0;
  if (peer->is_ready || bytes[0] == '-') give_up("Redis said: %.*s", (int)(count < 200 ? count : 200), bytes);
  static const char pong[] = "+PONG\r\n";
  char *end = memmem(bytes, count, pong, strlen(pong));
  if (!end) return 0;
  peer_is_ready(peer);
  return end + strlen(pong) - bytes;
}

static const struct framing framing = {greet, subscribe, subscribe_pattern, ask, publish, message, "\r\n", other};

static void join(struct peer *peer) { broker_join(&framing, peer); }

const struct driver redis_driver = {"redis", NULL, join, broker_took, broker_send};
