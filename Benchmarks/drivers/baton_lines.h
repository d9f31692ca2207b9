// Baton's lines as `chain` and `fanout` send and get them.
#ifndef BATON_LINES_H
#define BATON_LINES_H

#include <stddef.h>

// A topic of eight letters behind the dot, so that one that is new with every message is as long.
#define TOPIC "bench.aaaaaaaa"
#define OFFER_START "{\"op\":\"offer\",\"id\":"
#define RESULT_START "{\"op\":\"result\",\"id\":"
// What a line begins with, up to the payload's sequence number, and so an event.
const char *baton_head(void);
const char *event_start(void);
// What the payload begins with, and what follows its filler.
const char *payload_start(void);
const char *line_end(void);
// Bytes of a payload that goes with a line of `options.bytes`; the payload's sequence number aside.
size_t filler_bytes(void);
// The lengths of its lines, for the floor.
void baton_print_lengths(void);

#endif
