#define _GNU_SOURCE
#include "meter.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

#include "clock.h"
#include "process.h"
#include "trouble.h"

struct traffic traffic;
uint64_t returned;

// Latencies in nanoseconds: 32 steps for each power of two, so that a figure is right to 3 %.
enum { STEP_BITS = 5, STEPS = 1 << STEP_BITS };
static uint64_t histogram[64 * STEPS];
static uint64_t recorded, repeats;
static int64_t last_latency = -1;
static bool is_measuring;

static clockid_t server_clock;
static int server;

struct reading {
  int64_t time, load, server;
  struct traffic traffic;
};
static struct reading started, stopped;

void watch_server(int process) {
  server = process;
  if (server && clock_getcpuclockid(server, &server_clock)) give_up("there is no process %d", server);
}

// MARK: Latencies

static size_t place(uint64_t latency) {
  if (latency < STEPS) return latency;
  int power = 63 - __builtin_clzll(latency);
  return (power - STEP_BITS + 1) * STEPS + ((latency >> (power - STEP_BITS)) & (STEPS - 1));
}

// The middle of what is counted there.
static double latency_at(size_t place) {
  if (place < STEPS) return place;
  int power = place / STEPS + STEP_BITS - 1;
  double step = (double)(1ULL << (power - STEP_BITS));
  return (double)(1ULL << power) + (place % STEPS + 0.5) * step;
}

static double quantile(double share) {
  uint64_t wanted = (uint64_t)(recorded * share), seen = 0;
  for (size_t at = 0; at < 64 * STEPS; at++) {
    seen += histogram[at];
    if (seen > wanted) return latency_at(at);
  }
  return 0;
}

static void record_repeats(void) {
  if (repeats) histogram[place(last_latency < 0 ? 0 : last_latency)] += repeats;
  recorded += repeats;
  repeats = 0;
}

// What came in one read was often sent in one write: such latencies are counted together.
void came_back(int64_t sent_at) {
  returned += 1;
  if (!is_measuring) return;
  int64_t latency = now - sent_at;
  if (latency != last_latency) {
    record_repeats();
    last_latency = latency;
  }
  repeats += 1;
}

// MARK: From start to stop

static struct reading read_clocks(void) {
  return (struct reading){
    .time = clock_now(), .load = clock_read(CLOCK_PROCESS_CPUTIME_ID),
    .server = server ? clock_read(server_clock) : 0, .traffic = traffic};
}

void meter_start(void) {
  is_measuring = true;
  started = read_clocks();
}

void meter_stop(void) {
  stopped = read_clocks();
  record_repeats();
  is_measuring = false;
}

void meter_print(const char *unit) {
  double seconds = (stopped.time - started.time) / 1e9, count = recorded ? recorded : 1;
  double load = (stopped.load - started.load) / 1e9 / seconds;
  // By its waiting, too: its CPU time says less where others are on its core.
  double busy = 1 - (stopped.traffic.waited - started.traffic.waited) / 1e9 / seconds;
  if (busy < load) busy = load;
  double cores = (stopped.server - started.server) / 1e9 / seconds;
  printf(
    "{\"unit\":\"%s\",\"count\":%lu,\"seconds\":%.4f,\"per_second\":%.1f,\"p50_us\":%.2f,\"p99_us\":%.2f,"
    "\"p999_us\":%.2f,\"server_us_each\":%.5f,\"server_cores\":%.3f,\"load_cores\":%.3f,\"load_busy\":%.3f,"
    "\"load_is_bottleneck\":%s,\"bytes_to_server_each\":%.1f,\"bytes_from_server_each\":%.1f,"
    "\"resident_bytes\":%ld,\"peak_bytes\":%ld}\n",
    unit, recorded, seconds, recorded / seconds, quantile(0.5) / 1e3, quantile(0.99) / 1e3, quantile(0.999) / 1e3,
    (stopped.server - started.server) / 1e3 / count, cores, load, busy,
    busy > 0.95 && cores < 0.95 ? "true" : "false",
    (stopped.traffic.sent - started.traffic.sent) / count,
    (stopped.traffic.received - started.traffic.received) / count, resident_bytes(server), peak_bytes(server));
}
