// The figures: what came back while it was measured, how long it took, what it cost both processes.
#ifndef METER_H
#define METER_H

#include <stdint.h>

// What the connections count.
struct traffic {
  uint64_t sent, received;     // bytes
  int64_t waited;              // nanoseconds that the load has waited for something to happen
};
extern struct traffic traffic;
extern uint64_t returned;      // how much has come back since the start

// What was sent at `sent_at` has come back.
void came_back(int64_t sent_at);
void watch_server(int process);
void meter_start(void);
void meter_stop(void);
void meter_print(const char *unit);

#endif
