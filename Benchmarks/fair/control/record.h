// What the control client keeps of its messages, and the figures of each phase.
#ifndef RECORD_H
#define RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A message is sent that was due then. Returns its number.
size_t record_sent(int64_t due);
// The result of a message has come; `is_other` if it is not `handled`.
void record_result(size_t number, bool is_other);
// A connection was lost.
void record_closed(void);
// Whether a message has no result yet.
bool is_pending(void);
// From now on what is sent belongs to this phase.
void begin_phase(const char *name);
bool has_phase(void);
// Prints all phases as one JSON object. What never came took at least until now.
void print_phases(void);

#endif
