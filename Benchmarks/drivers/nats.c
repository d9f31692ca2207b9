// NATS: `PUB subject bytes`, `MSG subject number bytes`. Without acknowledgements, and nobody hears itself.
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "broker.h"
#include "trouble.h"

static size_t greet(char *at) {
  return sprintf(at, "CONNECT {\"verbose\":false,\"pedantic\":false,\"echo\":false}\r\n");
}

static size_t subscribe(char *at, const char *subject, int number) {
  return sprintf(at, "SUB %s %d\r\n", subject, number);
}

static size_t subscribe_pattern(char *at, int number) {
  static const char *const patterns[] = {"other.%d.*", "*.other%d", "other.%d.>", "*.*.%d"};
  char pattern[64];
  snprintf(pattern, sizeof pattern, patterns[number % 4], number);
  return subscribe(at, pattern, number + 1);
}

static size_t ask(char *at) { return sprintf(at, "PING\r\n"); }

static size_t publish(char *at, const char *subject, size_t payload) {
  return sprintf(at, "PUB %s %zu\r\n", subject, payload);
}

static size_t message(char *at, const char *subject, size_t payload) {
  return sprintf(at, "MSG %s 1 %zu\r\n", subject, payload);
}

static size_t other(struct peer *peer, char *bytes, size_t count) {
  char *end = memmem(bytes, count, "\r\n", 2);
  if (!end) return 0;
  if (!memcmp(bytes, "PONG", 4)) {
    peer_is_ready(peer);
  } else if (!memcmp(bytes, "PING", 4)) {
    peer_say(peer, "PONG\r\n", 6);
  } else if (memcmp(bytes, "INFO", 4) && memcmp(bytes, "+OK", 3)) {
    give_up("NATS said: %.*s", (int)(end - bytes), bytes);
  }
  return end + 2 - bytes;
}

static const struct framing framing = {greet, subscribe, subscribe_pattern, ask, publish, message, "\r\n", other};

static void join(struct peer *peer) { broker_join(&framing, peer); }

const struct driver nats_driver = {"nats", NULL, join, broker_took, broker_send};
