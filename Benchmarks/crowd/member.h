// One connection of the crowd: it connects, encrypts, says who it is, and stays until it is closed. Then it comes back.
#ifndef MEMBER_H
#define MEMBER_H

#include <stdbool.h>
#include <stdint.h>

// What the members do once they are connected.
enum manner {
  SERVED,         // they say who they are, and are served when they have the answer to a ping
  SILENT,         // nothing
  WRONG_TOKENS,   // they say a token that names nobody
  HALF_OPEN       // half a handshake's first words, or all of them, and nothing more
};

// How all members behave.
struct crowd {
  enum manner manner;
  int port;
  bool is_encrypted;
  int groups;                  // tokens: `baton_crowd-GROUP-a` and `…-b`; 0 for none
  int addresses;               // of this machine that they come from
  int pause;                   // milliseconds until one comes back, half of it at least and twice at most; 0: at once
};
extern struct crowd crowd;

struct counts {
  uint64_t opened, closed, handshakes, received, lines, auth_failed, refused;
};
extern struct counts counts;

void members_begin(int count);
// Closes all connections with a reset, and lets all come back at once.
void members_return(void);
void members_close(void);
// Closes one of them with a reset, and lets it come back.
void members_drop_one(void);
int members_served(void);
// One turn: connects, reads, writes; waits up to a millisecond if there is nothing to do.
void members_turn(void);

#endif
