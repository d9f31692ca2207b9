#include "record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "trouble.h"

enum { PHASES = 8 };

// One message: when it was due, how late it was written by this program, when its result came.
struct message {
  int64_t due, late, took;     // `took` is -1 until the result is there
  bool is_other;               // the result is not `handled`
};
static struct message *messages;
static size_t sent, room;

struct phase {
  char name[32];
  size_t first;
  int64_t began, silence;
  int closed;
};
static struct phase phases[PHASES];
static int phase_count, closed;
static int64_t last_result;

// MARK: What happens

static void note_silence(int64_t until) {
  if (!phase_count) return;
  struct phase *phase = &phases[phase_count - 1];
  int64_t from = last_result > phase->began ? last_result : phase->began;
  if (until - from > phase->silence) phase->silence = until - from;
}

size_t record_sent(int64_t due) {
  if (sent == room) {
    room = room ? 2 * room : 4096;
    messages = realloc(messages, room * sizeof *messages);
    if (!messages) give_up("no memory");
  }
  messages[sent] = (struct message){.due = due, .late = clock_now() - due, .took = -1};
  return sent++;
}

void record_result(size_t number, bool is_other) {
  if (number >= sent) return;
  messages[number].took = now - messages[number].due;
  messages[number].is_other = is_other;
  note_silence(now);
  last_result = now;
}

void record_closed(void) { closed += 1; }

bool is_pending(void) {
  static size_t first;
  while (first < sent && messages[first].took >= 0) first++;
  return first < sent;
}

void begin_phase(const char *name) {
  if (phase_count == PHASES) give_up("too many phases");
  note_silence(now);
  phases[phase_count] = (struct phase){.first = sent, .began = now, .closed = closed};
  snprintf(phases[phase_count++].name, sizeof phases[0].name, "%s", name);
}

bool has_phase(void) { return phase_count > 0; }

// MARK: Figures

static int compare(const void *left, const void *right) {
  int64_t one = *(const int64_t *)left, other = *(const int64_t *)right;
  return (one > other) - (one < other);
}

static double at_share(const int64_t *sorted, size_t count, double share) {
  if (!count) return 0;
  size_t place = (size_t)(count * share);
  return sorted[place < count ? place : count - 1] / 1e3;
}

static void print_phase(int number) {
  struct phase *phase = &phases[number];
  bool is_last = number + 1 == phase_count;
  size_t end = is_last ? sent : phases[number + 1].first, count = end - phase->first, lost = 0, other = 0;
  int64_t *times = get_memory((count + 1) * sizeof *times), *lates = get_memory((count + 1) * sizeof *lates);
  for (size_t i = 0; i < count; i++) {
    struct message *message = &messages[phase->first + i];
    times[i] = message->took < 0 ? now - message->due : message->took;
    lates[i] = message->late;
    lost += message->took < 0;
    other += message->is_other;
  }
  qsort(times, count, sizeof *times, compare);
  qsort(lates, count, sizeof *lates, compare);
  printf(
    "%s\"%s\":{\"sent\":%zu,\"lost\":%zu,\"other\":%zu,\"closed\":%d,\"p50_us\":%.1f,\"p99_us\":%.1f,\"p999_us\":%.1f,"
    "\"max_us\":%.1f,\"silence_us\":%.1f,\"own_p99_us\":%.1f,\"own_max_us\":%.1f}",
    number ? "," : "", phase->name, count, lost, other, (is_last ? closed : phases[number + 1].closed) - phase->closed,
    at_share(times, count, 0.5), at_share(times, count, 0.99), at_share(times, count, 0.999),
    count ? times[count - 1] / 1e3 : 0, phase->silence / 1e3, at_share(lates, count, 0.99),
    count ? lates[count - 1] / 1e3 : 0);
  free(times), free(lates);
}

void print_phases(void) {
  if (is_pending()) note_silence(now);
  printf("{");
  for (int i = 0; i < phase_count; i++) print_phase(i);
  puts("}");
}
