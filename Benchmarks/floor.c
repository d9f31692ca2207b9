// The floor: what the hops of a chain, or of a broadcast, cost a server that moves bytes and does nothing else.
//
//   floor chain PORT HANDLERS WINDOW SEND OFFER CONTINUE HANDLED RESULT
//   floor fanout PORT SUBSCRIBERS WINDOW BROADCAST EVENT
//
// The words in capitals at the end are lengths of lines: it knows where lines end by counting bytes, and never looks at
// one. The first connections are the handlers in their order, or the subscribers; the last one is the sender. A line is
// copied once, out of the read buffer into a ring, and goes from there to whoever is next. Each connection is written
// to once in each turn of the loop. Nothing is allocated while traffic flows, so glibc's thresholds do not come into
// it. Nothing that serves the same lines over the same sockets, one write a turn, can do less than this.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

typedef struct {
  uv_tcp_t tcp;
  uv_write_t write;
  size_t writing;          // bytes of the write that waits for the kernel
  const char *ring;        // what it is sent: lines of `stride` bytes, in a ring of `window` of them
  size_t stride;
  uint64_t due, sent;      // bytes that it may be sent, and was sent, since the start
  size_t line, begun;      // bytes of a line that it sends, and those of its unfinished line that have come
} Peer;

static Peer *peers;
static int receivers, connected, is_chain;
static size_t window, offer, numbers[10];  // the last: what the command line says behind its first word
static uint64_t arrived;  // bytes of the lines that the sender has sent, as receivers get them
static char *lines, *results, buffer[256 << 10];

static void give_up(const char *what, int error) {
  fprintf(stderr, "floor: %s: %s\n", what, uv_strerror(error));
  exit(1);
}

static void wrote(uv_write_t *request, int status) {
  Peer *peer = request->data;
  if (status) give_up("write", status);
  peer->sent += peer->writing;
  peer->writing = 0;
}

static int unsent(Peer *peer, uv_buf_t *buffers) {
  size_t size = peer->stride * window, start = peer->sent % size, count = peer->due - peer->sent;
  size_t first = count < size - start ? count : size - start;
  buffers[0] = uv_buf_init((char *)peer->ring + start, first);
  buffers[1] = uv_buf_init((char *)peer->ring, count - first);
  return count > first ? 2 : 1;
}

static void flush(Peer *peer) {
  uv_buf_t buffers[2];
  if (peer->writing || peer->sent == peer->due) return;
  int taken = uv_try_write((uv_stream_t *)&peer->tcp, buffers, unsent(peer, buffers));
  if (taken < 0 && taken != UV_EAGAIN) give_up("write", taken);
  if (taken > 0) peer->sent += taken;
  if (peer->sent == peer->due) return;
  peer->writing = peer->due - peer->sent;
  peer->write.data = peer;
  uv_write(&peer->write, (uv_stream_t *)&peer->tcp, buffers, unsent(peer, buffers), wrote);
}

static void flush_all(uv_prepare_t *hook) {
  (void)hook;
  for (int i = 0; i < connected; i++) {
    if (!is_chain && i < receivers) peers[i].due = arrived;
    flush(&peers[i]);
  }
}

// Copies what the sender sent into the ring; of a line that is longer than the one that goes out, its end is left out.
static void take_in(Peer *sender, const char *from, size_t count) {
  while (count > 0) {
    size_t take = sender->line - sender->begun < count ? sender->line - sender->begun : count;
    size_t room = sender->begun < offer ? offer - sender->begun : 0;
    memcpy(lines + arrived % (offer * window) + sender->begun, from, take < room ? take : room);
    from += take, count -= take, sender->begun += take;
    if (sender->begun == sender->line) sender->begun = 0, arrived += offer;
  }
  if (is_chain) peers[0].due = arrived;
}

static void did_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *into) {
  Peer *peer = stream->data;
  if (count < 0) exit(0);  // The load has gone.
  if (peer == &peers[receivers]) return take_in(peer, into->base, count);
  // Verdicts: for each, the next peer of the chain gets a line, the sender behind the last.
  peer->begun += count;
  peer[1].due += peer->begun / peer->line * peer[1].stride;
  peer->begun %= peer->line;
}

static void give_buffer(uv_handle_t *handle, size_t size, uv_buf_t *into) {
  (void)handle, (void)size;
  *into = uv_buf_init(buffer, sizeof buffer);
}

static void did_connect(uv_stream_t *listener, int status) {
  if (status || connected > receivers) give_up("a connection too many", status);
  Peer *peer = &peers[connected++];
  int is_sender = connected > receivers;
  peer->ring = is_sender ? results : lines;
  peer->stride = is_sender ? numbers[7] : offer;
  peer->line = numbers[is_sender ? 3 : connected < receivers ? 5 : 6];
  uv_tcp_init(listener->loop, &peer->tcp);
  uv_accept(listener, (uv_stream_t *)&peer->tcp);
  uv_tcp_nodelay(&peer->tcp, 1);
  peer->tcp.data = peer;
  uv_read_start((uv_stream_t *)&peer->tcp, give_buffer, did_read);
}

int main(int count, char **words) {
  for (int i = 2; i < count && i < 12; i++) numbers[i - 2] = strtoul(words[i], NULL, 10);
  is_chain = count == 10 && !strcmp(words[1], "chain");
  if (!is_chain && !(count == 7 && !strcmp(words[1], "fanout"))) return fputs("floor: see its source\n", stderr), 2;
  receivers = numbers[1], window = numbers[2], offer = numbers[4];
  peers = calloc(receivers + 1, sizeof *peers);
  lines = malloc(offer * window);
  memset(lines, 'x', offer * window);
  results = memset(malloc(numbers[7] * window + 1), 'x', numbers[7] * window + 1);

  uv_loop_t *loop = uv_default_loop();
  uv_tcp_t listener;
  uv_prepare_t hook;
  struct sockaddr_in address;
  int length = sizeof address, error;
  uv_ip4_addr("127.0.0.1", numbers[0], &address);
  uv_tcp_init(loop, &listener);
  if ((error = uv_tcp_bind(&listener, (struct sockaddr *)&address, 0))) give_up("bind", error);
  if ((error = uv_listen((uv_stream_t *)&listener, 4096, did_connect))) give_up("listen", error);
  uv_prepare_init(loop, &hook);
  uv_prepare_start(&hook, flush_all);
  uv_tcp_getsockname(&listener, (struct sockaddr *)&address, &length);
  printf("listening on tcp 127.0.0.1:%d\n", ntohs(address.sin_port));
  fflush(stdout);
  // Without ever waiting: what the hops cost where only the load has to be woken.
  if (getenv("FLOOR_POLLS")) for (;;) uv_run(loop, UV_RUN_NOWAIT);
  return uv_run(loop, UV_RUN_DEFAULT);
}
