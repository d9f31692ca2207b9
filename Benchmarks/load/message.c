#include "message.h"

#include <string.h>

#include "frames.h"
#include "trouble.h"

// A body that is shorter is copied, too: that is quicker than a piece of its own.
enum { LEAST_BODY = 2048 };

void message_set_body(struct message *message, size_t filler, const char *tail) {
  char *body = get_memory(filler + strlen(tail) + 1);
  memset(body, 'x', filler);
  strcpy(body + filler, tail);
  message->body = body;
  message->body_bytes = filler + strlen(tail);
}

void message_say(const struct message *message, struct peer *peer, uint32_t sequence, uint32_t slot) {
  bool is_short = message->body_bytes < LEAST_BODY;
  char *head = peer_room(peer, message->head_bytes + (is_short ? message->body_bytes : 0));
  memcpy(head, message->head, message->head_bytes);
  if (is_short) memcpy(head + message->head_bytes, message->body, message->body_bytes);
  if (message->sequence_at >= 0) write_sequence(head + message->sequence_at, sequence);
  if (message->topic_at >= 0) {
    write_sequence(head + message->topic_at, message->topics ? sequence % message->topics : sequence);
  }
  if (message->id_at >= 0) {
    uint32_t id = FIRST_ID + slot;
    for (int at = 4; at >= 0; at--, id /= 10) head[message->id_at + at] = '0' + id % 10;
  }
  if (!is_short) peer_say_body(peer, message->body, message->body_bytes);
}
