// Baton: lines of JSON. Handlers are links of the chain `main`; verdicts carry no payload.
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "baton_lines.h"
#include "frames.h"
#include "message.h"
#include "options.h"
#include "trouble.h"
#include "work.h"

static struct message message;
static bool has_message;

// MARK: Sending

static void send_message(struct peer *sender, uint32_t sequence, uint32_t slot) {
  message_say(&message, sender, sequence, slot);
}

static void set_message(void) {
  if (has_message) return;
  has_message = true;
  int length = sprintf(message.head, "%s", baton_head());
  message.sequence_at = length;
  message.head_bytes = length + SEQUENCE_BYTES;
  message.topic_at = options.fresh_topics ? strstr(message.head, TOPIC) + strlen("bench.") - message.head : -1;
  message.topics = options.topics;
  message.id_at = options.is_fanout ? -1 : strstr(message.head, "10000") - message.head;
  message_set_body(&message, filler_bytes(), line_end());
}

// MARK: Joining

static void insert(struct peer *peer) {
  int window = options.window > 256 ? options.window : 256;
  peer_print(
    peer, "{\"op\":\"insert\",\"handler\":\"bench-%d\",\"accepts\":[\"%s\"],\"rank\":%d,\"window\":%d}\n", peer->number,
    options.fresh_topics ? "bench.*" : TOPIC, peer->number, window);
}

// Patterns of several kinds, none of which matches the messages' topic.
static const char *other_pattern(int number) {
  static const char *const patterns[] = {"other.%d.*", "*.other%d", "other.%d.>", "*.*.%d"};
  static char pattern[64];
  snprintf(pattern, sizeof pattern, patterns[number % 4], number);
  return pattern;
}

// Links that no message comes to: in other chains, or in the same chain under other topics, at both ends.
static void insert_others(struct peer *peer) {
  for (int i = 0; i < options.links_elsewhere; i++) {
    peer_print(
      peer, "{\"op\":\"insert\",\"reply\":false,\"chain\":\"other-%d\",\"handler\":\"h-%d\"}\n", i / 10, i % 10);
  }
  for (int i = 0; i < options.links_here; i++) {
    peer_print(
      peer, "{\"op\":\"insert\",\"reply\":false,\"handler\":\"other-%d\",\"accepts\":[\"%s\"],\"at\":\"%s\"}\n", i,
      other_pattern(i), i % 8 < 4 ? "front" : "back");
  }
}

static void subscribe_others(struct peer *peer) {
  for (int i = peer->number; i < options.wildcards; i += STRANGERS) {
    peer_print(
      peer, "{\"op\":\"subscribe\",\"reply\":false,\"topics\":[\"%s\"]}\n", other_pattern(i));
  }
}

static void join(struct peer *peer) {
  set_message();
  if (options.token) peer_print(peer, "{\"op\":\"hello\",\"token\":\"%s\"}\n", options.token);
  if (peer->role == HANDLER) insert(peer);
  // Of an offer, what stands between the walk's number and the payload is as long with each.
  if (peer->role == HANDLER) {
    peer->expected_bytes = snprintf(
      NULL, 0, ",\"chain\":\"main\",\"handler\":\"bench-%d\",\"topic\":\"" TOPIC "\",\"payload\":%s", peer->number,
      payload_start());
  }
  if (peer->role == SUBSCRIBER) peer_print(peer, "{\"op\":\"subscribe\",\"reply\":false,\"topics\":[\"%s\"]}\n", TOPIC);
  if (peer->role == STRANGER && peer->number < STRANGERS) subscribe_others(peer);
  if (peer->role == STRANGER && peer->number == STRANGERS) insert_others(peer);
  peer_say(peer, "{\"op\":\"ping\"}\n", 14);
  peer->is_numbered = true;
}

// MARK: What comes

static bool has_start(const char *line, size_t count, const char *start) {
  return count >= strlen(start) && memcmp(line, start, strlen(start)) == 0;
}

static void took_event(struct peer *peer, const char *frame) {
  if (frame[peer->frame_bytes - 1] != '\n') give_up("an event has not the length of the first");
  fanout_arrived(peer);
}

static size_t took_other(struct peer *peer, char *bytes, size_t count) {
  char *end = memchr(bytes, '\n', count);
  if (!end) return 0;
  size_t length = end + 1 - bytes;
  if (has_start(bytes, length, "{\"op\":\"pong\"")) {
    peer_is_ready(peer);
  } else if (has_start(bytes, length, event_start())) {
    // The first event: all that follow are as long.
    peer->expected_bytes = strlen(event_start());
    memcpy(peer->expected, event_start(), peer->expected_bytes);
    peer->frame_bytes = length;
    return take_frames(peer, bytes, length, took_event, NULL);
  } else if (!has_start(bytes, length, "{\"op\":\"ok\"") && !has_start(bytes, length, "{\"op\":\"moved\"")
             && !has_start(bytes, length, "{\"op\":\"welcome\"")) {
    give_up("Baton said: %.*s", (int)(length < 300 ? length : 300), bytes);
  }
  return length;
}

static inline size_t digits(const char *at) {
  size_t count = 0;
  while (at[count] >= '0' && at[count] <= '9') count += 1;
  return count;
}

// {"op":"offer","id":17,"walk":23,"chain":"main","handler":"bench-0","topic":"…","payload":"…","timeout_ms":…}
// The offers of a connection count from 1, and messages come in their order. What is behind the sequence number is not
// looked at but for the line's end; what is before it is as long as it is with every offer but for two numbers.
static size_t took_offer(struct peer *peer, const char *line, size_t count, size_t filler) {
  const char *id = line + strlen(OFFER_START);
  size_t id_digits = digits(id), walk_digits = digits(id + id_digits + 8);
  const char *payload = id + id_digits + 8 + walk_digits + peer->expected_bytes;
  const char *least = payload + SEQUENCE_BYTES + filler;
  const char *end = least < line + count ? memchr(least, '\n', line + count - least) : NULL;
  if (!end) return 0;
  if (end - least > 64 || !is_sequence(payload, peer->next)) give_up("message %u was lost: %.300s", peer->next, line);
  peer->next += 1;
  bool is_last = peer->number + 1 == options.count;
  const char *start = is_last ? "{\"op\":\"handled\",\"id\":" : "{\"op\":\"continue\",\"id\":";
  size_t length = strlen(start);
  char *verdict = peer_room(peer, length + id_digits + 2);
  memcpy(verdict, start, length);
  memcpy(verdict + length, id, id_digits);
  memcpy(verdict + length + id_digits, "}\n", 2);
  return end + 1 - line;
}

static size_t took_offers(struct peer *peer, char *bytes, size_t count) {
  size_t at = 0, filler = message.body_bytes - strlen(line_end());
  bytes[count] = 0;
  while (at < count) {
    size_t taken = has_start(bytes + at, count - at, OFFER_START)
      ? took_offer(peer, bytes + at, count - at, filler) : took_other(peer, bytes + at, count - at);
    if (taken == 0) break;
    at += taken;
  }
  return at;
}

// {"op":"result","id":10017,"status":"handled","by":"bench-0","hops":1,"walk":23}
static size_t took_results(struct peer *peer, char *bytes, size_t count) {
  size_t at = 0;
  while (at < count) {
    const char *line = bytes + at, *end = memchr(line, '\n', count - at);
    if (!end) break;
    if (!has_start(line, end - line, RESULT_START)) {
      at += took_other(peer, bytes + at, count - at);
      continue;
    }
    if (memcmp(line + 25, ",\"status\":\"handled\"", 19)) give_up("a message was not handled: %.300s", line);
    uint32_t id = 0;
    for (int i = 20; i < 25; i++) id = id * 10 + (line[i] - '0');
    chain_back(id - FIRST_ID);
    at += end + 1 - line;
  }
  return at;
}

static size_t took(struct peer *peer, char *bytes, size_t count) {
  if (peer->role == HANDLER) return took_offers(peer, bytes, count);
  if (peer->role == SENDER && !options.is_fanout) return took_results(peer, bytes, count);
  return take_frames(peer, bytes, count, took_event, took_other);
}

const struct driver baton_driver = {"baton", "baton", join, took, send_message};
