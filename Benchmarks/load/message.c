#include "message.h"

#include <stdio.h>
#include <string.h>

#include "frames.h"
#include "options.h"
#include "trouble.h"

// A body that is shorter is copied, too: that is quicker than a piece of its own.
enum { LEAST_BODY = 2048 };

static uint32_t dice(uint32_t sides) {
  static uint32_t state = 1;
  state = state * 1664525 + 1013904223;
  return (state >> 8) % sides;
}

// An entry as a service writes it, with a comma behind it.
static int print_entry(char *at, size_t room) {
  static const char *const names[] = {"Haustür", "gate", "the \\\"old\\\" door", "京都", "back\\n door", "a long name for a door"};
  const char *name = names[dice(6)], *other = names[dice(6)];
  switch (dice(4)) {
    case 0: return snprintf(
      at, room, "{\"door\":%u,\"open\":%s,\"name\":\"%s\"},", dice(300), dice(2) ? "true" : "false", name);
    case 1: return snprintf(
      at, room, "{\"door\":%u,\"temp\":-%u.%u,\"tags\":[\"%s\",\"%s\"]},", dice(300), dice(40), dice(1000), name, other);
    case 2: return snprintf(
      at, room, "{\"user\":\"%s\",\"text\":\"see you at %s, at %u o'clock\",\"at\":17321472%05u},", name, other, dice(12),
      dice(100000));
    default: return snprintf(at, room, "[%u,%u,{\"x\":null,\"y\":[]}],", dice(10), dice(100000));
  }
}

static void fill_with_entries(char *body, size_t filler) {
  static const char start[] = "\":[", end[] = "\"]}";
  char entry[256];
  size_t at = strlen(start);
  if (filler < at + 1 + strlen(end)) give_up("a structured payload needs more room");
  memcpy(body, start, at);
  for (int misses = 0; misses < 8;) {
    size_t length = print_entry(entry, sizeof entry);
    if (at + length + 1 + strlen(end) > filler) {
      misses++;
      continue;
    }
    memcpy(body + at, entry, length);
    at += length;
  }
  body[at++] = '"';
  memset(body + at, 'x', filler - at - strlen(end));
  memcpy(body + filler - strlen(end), end, strlen(end));
}

void message_set_body(struct message *message, size_t filler, const char *tail) {
  bool is_structured = options.is_structured && filler > 0;
  for (int i = 0; i < BODIES; i++) {
    if (i > 0 && !is_structured) {
      message->bodies[i] = message->bodies[0];
      continue;
    }
    char *body = get_memory(filler + strlen(tail) + 1);
    if (is_structured) fill_with_entries(body, filler); else memset(body, 'x', filler);
    strcpy(body + filler, tail);
    message->bodies[i] = body;
  }
  message->body_bytes = filler + strlen(tail);
}

void message_say(const struct message *message, struct peer *peer, uint32_t sequence, uint32_t slot) {
  bool is_short = message->body_bytes < LEAST_BODY;
  const char *body = message->bodies[sequence % BODIES];
  char *head = peer_room(peer, message->head_bytes + (is_short ? message->body_bytes : 0));
  memcpy(head, message->head, message->head_bytes);
  if (is_short) memcpy(head + message->head_bytes, body, message->body_bytes);
  if (message->sequence_at >= 0) write_sequence(head + message->sequence_at, sequence);
  if (message->topic_at >= 0) {
    write_sequence(head + message->topic_at, message->topics ? sequence % message->topics : sequence);
  }
  if (message->id_at >= 0) {
    uint32_t id = FIRST_ID + slot;
    for (int at = 4; at >= 0; at--, id /= 10) head[message->id_at + at] = '0' + id % 10;
  }
  if (!is_short) peer_say_body(peer, body, message->body_bytes);
}
