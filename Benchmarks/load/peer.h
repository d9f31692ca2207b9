// Connections: what comes is read in big pieces, what is said in a turn is written at its end, in one write.
#ifndef PEER_H
#define PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver.h"

// Strangers have links or subscriptions that match no message. The first `STRANGERS` share the subscriptions, and one
// more has all the links.
enum role { SENDER, HANDLER, SUBSCRIBER, IDLER, STRANGER };
enum { STRANGERS = 100 };

// Bytes that are to be written: from a place in the peer's `out` on, or a body.
struct piece {
  const char *body;
  size_t at, count;
};

// One connection.
struct peer {
  int socket, number;          // `number` counts those of its role from 0
  struct ssl_st *tls;          // NULL where nothing is encrypted
  enum role role;
  bool is_ready, is_queued, is_blocked;
  // What is not written yet: pieces of `out`, the last of which may grow while it is open, and bodies.
  bool is_piece_open;
  char *out;
  size_t out_count, out_room;
  struct piece *pieces;
  size_t piece_count, piece_room, first_piece;
  // The beginning of a line or frame that has not come whole.
  char *rest;
  size_t rest_count, rest_room;
  // What comes: frames of `frame_bytes` that begin with `expected` and the sequence number.
  char expected[160];
  size_t expected_bytes, frame_bytes;
  bool is_numbered;
  uint32_t next;               // the sequence number of the next frame
};

// Says where the server is, and how it is spoken to: before the first connection.
void peers_speak(const struct driver *driver, int port);
// Opens a connection, and from time to time waits until all that were opened are ready.
struct peer *peer_join(enum role role, int number);
void wait_until_ready(void);
// Opens the strangers with subscriptions, and the one with links, as far as they are wanted.
void open_strangers(bool has_wildcards, bool has_links);
// Sends the message or the broadcast with that number, in that place of the window.
void peer_send(struct peer *sender, uint32_t sequence, uint32_t slot);
void peer_is_ready(struct peer *peer);
// What is said goes out at the end of this turn: bytes, which are copied, or a body, which must stay where it is.
char *peer_make_room(struct peer *peer, size_t bytes);
static inline char *peer_room(struct peer *peer, size_t bytes) {
  if (!peer->is_queued || !peer->is_piece_open || peer->out_room - peer->out_count < bytes) {
    return peer_make_room(peer, bytes);
  }
  peer->pieces[peer->piece_count - 1].count += bytes;
  peer->out_count += bytes;
  return peer->out + peer->out_count - bytes;
}
void peer_say(struct peer *peer, const void *bytes, size_t count);
void peer_print(struct peer *peer, const char *format, ...) __attribute__((format(printf, 2, 3)));
void peer_say_body(struct peer *peer, const char *body, size_t count);
// One turn: waits up to `milliseconds` for something to happen, handles it, writes what there is to say.
void turn(int milliseconds);

#endif
