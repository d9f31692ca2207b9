#include "baton_lines.h"

#include <stdio.h>
#include <string.h>

#include "frames.h"
#include "options.h"
#include "trouble.h"

// With and without a brace before the quote: the sequence number is a text, or the name of a member.
#define STARTS(start) {start "\"", start "{\""}
static const char *const send_heads[] = STARTS("{\"op\":\"send\",\"id\":10000,\"topic\":\"" TOPIC "\",\"payload\":");
static const char *const broadcast_heads[] =
  STARTS("{\"op\":\"broadcast\",\"topic\":\"" TOPIC "\",\"reply\":false,\"payload\":");
static const char *const event_starts[] = STARTS("{\"op\":\"event\",\"topic\":\"" TOPIC "\",\"payload\":");
static const char *const payload_starts[] = STARTS("");

const char *baton_head(void) { return (options.is_fanout ? broadcast_heads : send_heads)[options.is_structured]; }
const char *event_start(void) { return event_starts[options.is_structured]; }
const char *payload_start(void) { return payload_starts[options.is_structured]; }
const char *line_end(void) { return options.is_structured ? "}\n" : "\"}\n"; }

size_t filler_bytes(void) {
  size_t least = strlen(baton_head()) + SEQUENCE_BYTES + strlen(line_end());
  if ((size_t)options.bytes < least) give_up("a line takes %zu bytes at least", least);
  return options.bytes - least;
}

void baton_print_lengths(void) {
  char line[512];
  size_t payload = SEQUENCE_BYTES + filler_bytes();
  int sender = options.count + 1;
  if (options.is_fanout) {
    int event = snprintf(line, sizeof line, "%s\",\"from\":\"#%d\"}\n", event_starts[0], sender);
    printf("%d %zu\n", options.bytes, event + payload);
    return;
  }
  // Numbers of offers and walks have six digits for most of a run, or five where messages go one by one; the time that
  // is left is a fair share of 30 s.
  int number = options.window > 1 ? 100000 : 10000;
  size_t offers = 0;
  for (int i = 0; i < options.count; i++) {
    offers += snprintf(
      line, sizeof line,
      OFFER_START "%d,\"walk\":%d,\"chain\":\"main\",\"handler\":\"bench-%d\",\"topic\":\"" TOPIC
                  "\",\"payload\":\"\",\"timeout_ms\":%d,\"from\":\"#%d\"}\n",
      number, number, i, 30000 / (options.count - i) - 1, sender);
  }
  int result = snprintf(
    line, sizeof line, RESULT_START "10000,\"status\":\"handled\",\"by\":\"bench-%d\",\"hops\":%d,\"walk\":%d}\n",
    options.count - 1, options.count, number);
  int handled = snprintf(line, sizeof line, "{\"op\":\"handled\",\"id\":%d}\n", number);
  printf(
    "%d %zu %d %d %d\n", options.bytes, offers / options.count + payload,
    handled + (int)(strlen("continue") - strlen("handled")), handled, result);
}
