// The connections of a hostile program: many peers on one epoll, which write as much as the server takes and read
// whatever comes. A connection that the server closes is opened again.
#ifndef WIRE_H
#define WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct peer {
  int socket;                  // -1 while it is closed
  int number;                  // counts all peers from 0
  bool is_readable, is_writable;
  bool is_deaf, is_raw;        // a deaf peer reads nothing; what comes to a raw one is not cut into lines
  char *out;
  size_t out_count, out_at, out_room;
  char *rest;                  // the beginning of a line that has not come whole
  size_t rest_count, rest_room;
  // Called when everything is written: says more, if it wants to.
  void (*fill)(struct peer *);
  // Called with each line that has come. Without it lines are counted only.
  void (*took)(struct peer *, const char *line, size_t count);
  // Called when the connection was opened again after the server had closed it. Without it the attack begins anew.
  void (*greet)(struct peer *);
  uint64_t lines;              // that have come
  long counter, answered, state;  // the attack's own
};

// What is counted for the report.
struct counts {
  uint64_t sent, received, lines, opened, closed;
};
extern struct counts counts;
// Set when a peer was closed that the attack cannot do without.
extern bool is_broken;

void wire_begin(int port);
struct peer *open_peer(void);
// Closes a connection, which does not open again; with a reset if it is not to linger.
void close_peer(struct peer *peer, bool resets);
void close_all(void);
int peer_count(void);
struct peer *peer_at(int number);

char *say_room(struct peer *peer, size_t count);
void say_bytes(struct peer *peer, const void *bytes, size_t count);
// In what is said like this, ' stands for ".
void say(struct peer *peer, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool has_said_all(const struct peer *peer);
// One turn: fills, writes and reads; waits up to `milliseconds` if there is nothing to do.
void turn(int milliseconds);

// What errors said, by their codes.
void count_error(const char *line, size_t count);
void print_errors(void);
// Whether a line begins like this.
bool begins(const char *line, size_t count, const char *beginning);

#endif
