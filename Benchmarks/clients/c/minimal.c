// The least that a client can be: C on libuv, no JSON reader, no reconnecting, no deadlines, no errors.
// minimal sender|handler COUNT; the server is BATON_SERVER, HOST:PORT.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <uv.h>

enum { IN_FLIGHT = 256, ROOM = 1 << 20 };

static uv_tcp_t tcp;
static uv_prepare_t turn;
static char read_bytes[ROOM], *unsent;
static size_t held, unsent_count, unsent_room;
static long count, seen, sent;
static int is_sender;
static double begun_cpu, begun_wall;

static double microseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * 1e6 + now.tv_nsec / 1e3;
}

static double cpu(void) { return microseconds(CLOCK_PROCESS_CPUTIME_ID); }
static double wall(void) { return microseconds(CLOCK_MONOTONIC); }

// One more message is done. The first fifth of them is not measured.
static void tick(void) {
  seen++;
  if (seen == count / 5) begun_cpu = cpu(), begun_wall = wall();
  if (seen != count) return;
  double messages = count - count / 5;
  printf("{\"us\":%.3f,\"per_second\":%.0f}\n", (cpu() - begun_cpu) / messages,
         messages * 1e6 / (wall() - begun_wall));
  fflush(stdout);
  if (is_sender) exit(0);
}

static char *room_for(size_t bytes) {
  if (unsent_count + bytes > unsent_room) unsent = realloc(unsent, unsent_room = 2 * (unsent_room + bytes));
  return unsent + unsent_count;
}

static void send_one(void) {
  if (sent == count) return;
  sent++;
  unsent_count += sprintf(
      room_for(256),
      "{\"op\":\"send\",\"id\":%ld,\"topic\":\"bench.post\",\"payload\":{\"id\":%ld,\"author\":\"Ann Lee\",\"text\":"
      "\"What the post says, in some words.\",\"tags\":[\"a\",\"b\"],\"at\":1.5}}\n",
      sent, sent);
}

// A line from the server: a result, an offer, or the reply to `insert`.
static void take(const char *line, size_t length) {
  if (is_sender) {
    send_one();
    return tick();
  }
  if (length < 13 || memcmp(line, "{\"op\":\"offer\"", 13) != 0) {
    puts("ready");
    fflush(stdout);
    return;
  }
  const char *id = memmem(line, length, "\"id\":", 5);
  unsent_count += sprintf(
      room_for(128), "{\"op\":\"handled\",\"id\":%ld,\"payload\":{\"seen\":true,\"by\":\"bench\"}}\n", atol(id + 5));
  tick();
}

static void allocate(uv_handle_t *handle, size_t wished, uv_buf_t *buffer) {
  (void)handle, (void)wished;
  *buffer = uv_buf_init(read_bytes + held, ROOM - held);
}

static void received(uv_stream_t *stream, ssize_t bytes, const uv_buf_t *buffer) {
  (void)stream, (void)buffer;
  if (bytes < 0) exit(is_sender ? 1 : 0);
  size_t end = held + bytes, start = 0;
  char *feed;
  while ((feed = memchr(read_bytes + start, '\n', end - start))) {
    take(read_bytes + start, feed - (read_bytes + start));
    start = feed - read_bytes + 1;
  }
  memmove(read_bytes, read_bytes + start, held = end - start);
}

static void written(uv_write_t *request, int status) {
  if (status < 0) exit(1);
  free(request->data);
  free(request);
}

// What one turn has brought goes out in one piece.
static void flush(uv_prepare_t *handle) {
  (void)handle;
  if (unsent_count == 0) return;
  uv_buf_t buffer = uv_buf_init(unsent, unsent_count);
  int done = uv_try_write((uv_stream_t *)&tcp, &buffer, 1);
  if (done < 0) done = 0;
  if ((size_t)done < unsent_count) {
    uv_write_t *request = malloc(sizeof *request);
    request->data = unsent;
    uv_buf_t rest = uv_buf_init(unsent + done, unsent_count - done);
    uv_write(request, (uv_stream_t *)&tcp, &rest, 1, written);
    unsent = NULL;
    unsent_room = 0;
  }
  unsent_count = 0;
}

static void connected(uv_connect_t *request, int status) {
  (void)request;
  if (status < 0) exit(1);
  uv_tcp_nodelay(&tcp, 1);
  uv_read_start((uv_stream_t *)&tcp, allocate, received);
  uv_prepare_init(tcp.loop, &turn);
  uv_prepare_start(&turn, flush);
  if (is_sender)
    for (int number = 0; number < IN_FLIGHT; number++) send_one();
  else
    unsent_count += sprintf(room_for(64), "{\"op\":\"insert\",\"handler\":\"bench\"}\n");
}

int main(int words, char **word) {
  const char *place = getenv("BATON_SERVER");
  if (words < 3 || !place || !strchr(place, ':')) return fputs("minimal sender|handler COUNT\n", stderr), 64;
  is_sender = strcmp(word[1], "sender") == 0;
  count = atol(word[2]);
  char host[64] = "";
  strncat(host, place, strcspn(place, ":") < 63 ? strcspn(place, ":") : 63);
  struct sockaddr_in address;
  uv_connect_t request;
  uv_loop_t *loop = uv_default_loop();
  uv_tcp_init(loop, &tcp);
  uv_ip4_addr(host, atoi(strchr(place, ':') + 1), &address);
  uv_tcp_connect(&request, &tcp, (const struct sockaddr *)&address, connected);
  return uv_run(loop, UV_RUN_DEFAULT);
}
