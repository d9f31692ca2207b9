// What an attack is, and what all attacks need: time, building, figures for the report.
#ifndef ATTACK_H
#define ATTACK_H

#include <sys/types.h>

#include "wire.h"

struct attack {
  const char *name;
  // What it does, for people.
  const char *what;
  // Opens the peers and builds what the attack needs. It takes as much as the server allows.
  void (*set_up)(void);
  // Called again and again until the time is over. Without it, what the peers `fill` is the attack.
  void (*act)(void);
  // How many seconds building may take at most, unless it may have a third of the attack's time; 8 if 0.
  int patience;
};

// Each table ends with an attack without a name.
extern const struct attack line_attacks[], chain_attacks[], order_attacks[], walk_attacks[], waiting_attacks[],
  listener_attacks[], crowd_attacks[], ending_attacks[], special_attacks[], web_attacks[];

// What the program was asked for.
struct wanted {
  int connections;             // how many hostile peers, besides those who only serve or listen
  double seconds;
  pid_t server;                // or 0
};
extern struct wanted wanted;

// Whether the attack has to end; whether what it builds has to do.
bool is_over(void);
bool is_built(void);
// How many seconds the attack has run.
double seconds_so_far(void);

// A figure for the report: how much was built, how long something took. The last one of a name counts, or the largest.
void figure(const char *name, double value);
void most_figure(const char *name, double value);

// Says a line and waits for its reply, which is a copy. NULL if the time is over or the connection is lost.
const char *ask(struct peer *peer, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Whether the last reply was `ok`.
bool agrees(const char *reply);
// Says up to `count` lines, each of which gets one reply, many at once; stops at the first refusal. Returns how many
// were granted; the lines with the numbers from `first` on were those.
long build(struct peer *peer, long first, long count, void (*say_line)(struct peer *, long number));
// The largest number from 1 to `most` for which the server grants the line; 1 if there is none.
int most_granted(struct peer *peer, int most, void (*say_line)(struct peer *, int number));
// The longest line that the server takes.
long line_limit(struct peer *peer);
// Waits until these lines have come, the time is over or a peer is lost.
void wait_for_lines(struct peer *peer, uint64_t lines);
// Runs turns for so long.
void idle(double seconds);
// The time of one `ping`, in nanoseconds.
int64_t ping_time(struct peer *peer);

// Opens as many hostile peers as are wanted, each with this to say. They need nothing that is lost with a connection.
void open_hostile(void (*fill)(struct peer *));
// A peer that answers each offer with a verdict: its op, and members such as `,'payload':1`.
void answer_with(struct peer *peer, const char *op, const char *members);
// The links `l0`, `l1`, … of a chain, built by as many peers as it needs; how many there are. Their owners answer
// `continue`.
long build_links(const char *chain, long count, const char *members);

#endif
