// Chains and fan-outs over a broker, as its users would build them: each handler subscribes to a subject of its own and
// publishes on to the next one's, the last of them to the sender's. The subjects stay the same, which costs brokers the
// least. What the last handler says carries the message's number only, as Baton's result carries no payload.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baton_lines.h"
#include "broker.h"
#include "frames.h"
#include "message.h"
#include "options.h"
#include "trouble.h"
#include "work.h"

static const struct framing *framing;
// What is published to each handler, and behind the last to the sender.
static struct message *messages;

// The payload that Baton's line would have, with its quotes.
static size_t payload_bytes(void) { return SEQUENCE_BYTES + filler_bytes() + 2; }

static const char *subject_of(int place) {
  static char text[32];
  snprintf(text, sizeof text, place < options.count ? "bench.%d" : "bench.r", options.is_fanout ? 0 : place);
  return text;
}

static size_t payload_at(int place) { return place < options.count ? payload_bytes() : SEQUENCE_BYTES; }

static void set_messages(void) {
  int last = options.is_fanout ? 0 : options.count;
  messages = calloc(last + 1, sizeof *messages);
  for (int place = 0; place <= last; place++) {
    struct message *message = &messages[place];
    message->sequence_at = framing->publish(message->head, subject_of(place), payload_at(place));
    message->head_bytes = message->sequence_at + SEQUENCE_BYTES;
    message->id_at = message->topic_at = -1;
    message_set_body(message, payload_at(place) - SEQUENCE_BYTES, framing->tail);
  }
}

static void expect(struct peer *peer, int place) {
  char bytes[512];
  peer_say(peer, bytes, framing->subscribe(bytes, subject_of(place), 1));
  peer->expected_bytes = framing->message(peer->expected, subject_of(place), payload_at(place));
  peer->frame_bytes = peer->expected_bytes + payload_at(place) + strlen(framing->tail);
  peer->is_numbered = true;
}

void broker_join(const struct framing *the_framing, struct peer *peer) {
  char bytes[512];
  framing = the_framing;
  if (!messages) set_messages();
  peer_say(peer, bytes, framing->greet(bytes));
  if (peer->role == HANDLER || peer->role == SUBSCRIBER) expect(peer, options.is_fanout ? 0 : peer->number);
  if (peer->role == SENDER && !options.is_fanout) expect(peer, options.count);
  if (peer->role == STRANGER && peer->number == STRANGERS) give_up("there are no links here");
  for (int i = peer->number; peer->role == STRANGER && i < options.wildcards; i += STRANGERS) {
    peer_say(peer, bytes, framing->subscribe_pattern(bytes, i));
  }
  peer_say(peer, bytes, framing->ask(bytes));
}

static void took_frame(struct peer *peer, const char *frame) {
  if (memcmp(frame + peer->frame_bytes - strlen(framing->tail), framing->tail, strlen(framing->tail))) {
    give_up("a message has another length than it should: %.200s", frame);
  }
  // Its number is known: messages come in their order, or `take_frames` has given up.
  switch (peer->role) {
    case HANDLER: return message_say(&messages[peer->number + 1], peer, peer->next - 1, 0);
    case SENDER: return chain_back(chain_next_back());
    default: return fanout_arrived(peer);
  }
}

size_t broker_took(struct peer *peer, char *bytes, size_t count) {
  return take_frames(peer, bytes, count, took_frame, framing->other);
}

void broker_send(struct peer *sender, uint32_t sequence, uint32_t slot) {
  message_say(&messages[0], sender, sequence, slot);
}
