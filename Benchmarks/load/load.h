// What the files of the load share. The load is one thread on one epoll: connections (peer.c), a clock and a histogram
// (meter.c), what is sent when (chain.c, fanout.c, idle.c, start.c), and how a server is spoken to (drivers/).
#ifndef LOAD_H
#define LOAD_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// MARK: What was asked for (load.c)

struct options {
  const char *driver_name;
  int port;
  int server;                  // the server's process, or 0
  int core, server_core;       // where the load, and a server that it starts, are to run, or -1
  int count;                   // handlers, subscribers or connections
  int window;                  // messages or broadcasts in flight
  int bytes;                   // of the whole line that Baton is sent
  double warm_up, seconds;
  uint64_t messages;           // measure so many instead of a time, unless 0
  int links_elsewhere, links_here, wildcards;  // what else the server knows
  bool fresh_topics;           // a new topic with every message
  const char *lengths;         // of the lines of the floor
};
extern struct options options;

// Ends the load: nothing was measured.
_Noreturn void give_up(const char *format, ...) __attribute__((format(printf, 1, 2)));
void *get_memory(size_t bytes);
void pin(int core);

// MARK: Connections (peer.c)

// A stranger knows links or subscriptions that have nothing to do with the messages: of `STRANGERS` each has its share
// of the subscriptions, and one more has the links.
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
  enum role role;
  bool is_ready, is_queued, is_blocked;
  // What is not written yet: pieces of `out`, of which the last may grow if it is open, and bodies.
  bool is_piece_open;
  char *out;
  size_t out_count, out_room;
  struct piece *pieces;
  size_t piece_count, piece_room, first_piece;
  // The beginning of what has not come whole.
  char *rest;
  size_t rest_count, rest_room;
  // What comes: frames of `frame_bytes` that begin with `expected` and the sequence number.
  char expected[160];
  size_t expected_bytes, frame_bytes;
  bool is_numbered;
  uint32_t next;               // the sequence number of the next frame
};

extern uint64_t bytes_sent, bytes_received;
extern int64_t waited;         // nanoseconds that the load has waited for something to happen

struct peer *peer_open(enum role role, int number);
// Opens a connection, and from time to time waits until all that were opened are ready.
struct peer *peer_join(enum role role, int number);
void wait_until_ready(void);
void open_strangers(void);
void peer_is_ready(struct peer *peer);
// Says something at the end of this turn: bytes that are copied, or a body that stays where it is.
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

// MARK: Messages (message.c)

// A body that is shorter than `LEAST_BODY` is copied, too: that is quicker than a piece of its own.
enum { SEQUENCE_BYTES = 8, FIRST_ID = 10000, LEAST_BODY = 2048 };

// Something that is sent again and again, with another number each time. The head is copied; the body stays.
struct message {
  char head[512];
  size_t head_bytes;
  int sequence_at, id_at, topic_at;  // places in the head, or -1
  const char *body;
  size_t body_bytes;
};

// Bytes of a payload that goes with a line of `options.bytes`; the payload's sequence number aside.
size_t filler_bytes(void);
// A body: the filler, and `tail` behind it.
void message_set_body(struct message *message, size_t filler, const char *tail);
void message_say(const struct message *message, struct peer *peer, uint32_t sequence, uint32_t slot);
void write_sequence(char *at, uint32_t sequence);
bool is_sequence(const char *at, uint32_t sequence);

// MARK: The clock and the figures (meter.c)

extern int64_t now;            // nanoseconds; when the bytes that are being handled were read
extern bool is_landing;        // nothing new is to be sent
int64_t clock_now(void);
// Something that was sent at `sent_at` has come back.
void came_back(int64_t sent_at);
extern uint64_t returned;      // how many have, since the start
void watch_server(int process);
void meter_start(void);
void meter_stop(void);
void meter_print(const char *unit);
long resident_bytes(int process);

// MARK: What is sent when

// chain.c, fanout.c: opens the connections, sends the first, and says what is in flight.
void chain_open(void);
void chain_begin(void);
void chain_back(uint32_t slot);  // a result has come
uint32_t chain_next_back(void);  // the slot of the oldest message in flight
bool chain_has_landed(void);
void fanout_open(void);
void fanout_begin(void);
void fanout_arrived(struct peer *subscriber);  // the next broadcast has come there
bool fanout_has_landed(void);
int measure_idle(void);
int measure_start(char **command);

// MARK: How a server is spoken to (drivers/)

struct driver {
  const char *name;
  // Says what makes the connection what it is; `peer_is_ready` is called when the server has heard it.
  void (*join)(struct peer *peer);
  // Takes what has come, as far as it is whole, and returns how much that was.
  size_t (*took)(struct peer *peer, char *bytes, size_t count);
  // Sends the message or the broadcast with that sequence number, in that place of the window.
  void (*send)(struct peer *sender, uint32_t sequence, uint32_t slot);
};
extern const struct driver *driver;
extern bool is_fanout;
extern const struct driver baton_driver, floor_driver, nats_driver, redis_driver, mqtt_driver;
void baton_print_lengths(void);

// Takes frames, all of one length, as long as they are whole and as expected. What is none is `other`'s, which returns
// the length of it, or 0 where it is not whole.
size_t take_frames(
  struct peer *peer, char *bytes, size_t count, void (*took)(struct peer *peer, const char *frame),
  size_t (*other)(struct peer *peer, char *bytes, size_t count));

#endif
