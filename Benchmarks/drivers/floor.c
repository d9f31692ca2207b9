// The floor: lines as long as Baton's, of which only the length and the number at the beginning matter.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frames.h"
#include "message.h"
#include "options.h"
#include "trouble.h"
#include "work.h"

static struct message message;
static const char *verdict;
static struct { size_t send, offer, pass, handled, result; } lengths;

static void read_lengths(void) {
  if (lengths.send) return;
  size_t *in_order[] = {&lengths.send, &lengths.offer, &lengths.pass, &lengths.handled, &lengths.result};
  const char *text = options.lengths ? options.lengths : "";
  char *end = (char *)text;
  for (int i = 0; i < (options.is_fanout ? 2 : 5); i++, text = end) {
    *in_order[i] = strtoul(text, &end, 10);
    if (end == text) give_up("the floor needs --lengths, as `load lengths` prints them");
  }
  message.sequence_at = 0, message.head_bytes = SEQUENCE_BYTES, message.id_at = message.topic_at = -1;
  message_set_body(&message, lengths.send - SEQUENCE_BYTES, "");
  char *text_of_verdict = get_memory(256);
  memset(text_of_verdict, 'v', 256);
  verdict = text_of_verdict;
}

static void join(struct peer *peer) {
  if (peer->role == IDLER) return peer_is_ready(peer);
  read_lengths();
  peer->is_numbered = peer->role != SENDER;
  peer->frame_bytes = peer->role == SENDER ? lengths.result : lengths.offer;
  peer_is_ready(peer);
}

static void took_frame(struct peer *peer, const char *frame) {
  (void)frame;
  switch (peer->role) {
    case HANDLER: return peer_say(peer, verdict, peer->number + 1 < options.count ? lengths.pass : lengths.handled);
    case SENDER: return chain_back(chain_next_back());
    default: return fanout_arrived(peer);
  }
}

static size_t took(struct peer *peer, char *bytes, size_t count) {
  return take_frames(peer, bytes, count, took_frame, NULL);
}

static void send_message(struct peer *sender, uint32_t sequence, uint32_t slot) {
  message_say(&message, sender, sequence, slot);
}

const struct driver floor_driver = {"floor", NULL, join, took, send_message};
