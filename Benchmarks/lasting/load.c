// Sends durable messages to a server and has them handled, so many in flight: it prints the seconds per message, in µs.
//
//   load baton|ordinary|redis|nats PORT IN-FLIGHT MESSAGES
//
// A message is one that is stored, is handed to a consumer, and has ended on disk: for Baton `send` with `durable`, offer,
// `handled`, `result`; for Redis XADD, XREADGROUP, XACK, XDEL; for JetStream a publication with its acknowledgement, and a
// consumer that acknowledges (with a confirmation) what it gets. `ordinary` is Baton without `durable`: what the way costs alone.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { room = 1 << 22 };

typedef struct {
  int descriptor;
  char *in, *out;
  size_t in_count, out_count, out_sent;
} peer;

static peer sender, consumer;
static long in_flight, messages, sent, done, stored, got;
static char payload[129];

static void give_up(const char *what) {
  fprintf(stderr, "load: %s\n", what);
  exit(1);
}

static void open_peer(peer *peer, int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
  peer->descriptor = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(peer->descriptor, (struct sockaddr *)&address, sizeof address)) give_up("nobody listens");
  int one = 1;
  setsockopt(peer->descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  peer->in = malloc(room + 1);
  peer->out = malloc(room);
}

__attribute__((format(printf, 2, 3))) static void say(peer *peer, const char *format, ...) {
  __builtin_va_list arguments;
  __builtin_va_start(arguments, format);
  int count = vsnprintf(peer->out + peer->out_count, room - peer->out_count, format, arguments);
  __builtin_va_end(arguments);
  peer->out_count += count;
  if (peer->out_count >= room) give_up("too much is unsent");
}

static void flush_peer(peer *peer) {
  while (peer->out_sent < peer->out_count) {
    ssize_t count = send(peer->descriptor, peer->out + peer->out_sent, peer->out_count - peer->out_sent, MSG_DONTWAIT);
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) give_up("the connection is lost");
    peer->out_sent += count;
  }
  peer->out_count = peer->out_sent = 0;
}

static void read_peer(peer *peer) {
  ssize_t count = recv(peer->descriptor, peer->in + peer->in_count, room - peer->in_count, 0);
  if (count <= 0) give_up("the connection is lost");
  peer->in_count += count;
  peer->in[peer->in_count] = 0;
}

// Drops what was read.
static void used(peer *peer, char *rest) {
  peer->in_count -= rest - peer->in;
  memmove(peer->in, rest, peer->in_count + 1);
}

// MARK: Baton

static void baton_begin(void) {
  say(&consumer, "{\"op\":\"insert\",\"handler\":\"bill\",\"chain\":\"orders\",\"window\":1024}\n");
}

static void baton_send(void) {
  say(&sender, "{\"op\":\"send\",\"id\":%ld,\"topic\":\"order.paid\",\"chain\":\"orders\",\"payload\":\"%s\",\"durable\":true}\n",
      sent, payload);
}

static void ordinary_send(void) {
  say(&sender, "{\"op\":\"send\",\"id\":%ld,\"topic\":\"order.paid\",\"chain\":\"orders\",\"payload\":\"%s\"}\n", sent, payload);
}

static void baton_read(peer *peer) {
  char *at = peer->in, *end;
  for (; (end = strchr(at, '\n')); at = end + 1) {
    *end = 0;
    if (peer == &consumer && !strncmp(at, "{\"op\":\"offer\",\"id\":", 19)) {
      say(peer, "{\"op\":\"handled\",\"id\":%ld}\n", atol(at + 19));
    } else if (peer == &sender && strstr(at, "\"op\":\"result\"")) {
      if (!strstr(at, "\"handled\"")) give_up(at);
      done++;
    } else if (strstr(at, "\"op\":\"error\"")) {
      give_up(at);
    }
  }
  used(peer, at);
}

// MARK: Redis

static void redis_begin(void) {
  say(&sender, "XGROUP CREATE s g 0 MKSTREAM\r\n");
  say(&consumer, "XREADGROUP GROUP g c COUNT 1024 BLOCK 0 STREAMS s >\r\n");
}

static void redis_send(void) {
  say(&sender, "*5\r\n$4\r\nXADD\r\n$1\r\ns\r\n$1\r\n*\r\n$1\r\np\r\n$128\r\n%s\r\n", payload);
}

// A whole answer to XREADGROUP has as many payloads as entries; its length is in its head.
static void redis_read(peer *peer) {
  if (peer == &sender) {
    char *at = peer->in, *end;
    for (; (end = strstr(at, "\r\n")); at = end + 2) if (*at == '-') give_up(at);
    return used(peer, at);
  }
  char *at = peer->in;
  for (;;) {
    if (*at == ':') {  // XACK or XDEL.
      char *end = strstr(at, "\r\n");
      if (!end) break;
      if (++got % 2 == 0) done++;
      at = end + 2;
      continue;
    }
    // *1 *2 $1 s *N, then N times: *2 $id id *2 $1 p $128 payload
    long entries;
    int head = 0;
    if (sscanf(at, "*1\r\n*2\r\n$1\r\ns\r\n*%ld\r\n%n", &entries, &head) != 1 || !head) break;
    char *next = at + head;
    for (long index = 0; index < entries && next; index++) {
      char *value = strstr(next, "$128\r\n");
      next = value && value + 6 + 130 <= peer->in + peer->in_count ? value + 6 + 130 : NULL;
    }
    if (!next) break;
    char *entry = at + head;
    for (long index = 0; index < entries; index++) {
      char *name = strstr(entry, "\r\n") + 2;
      name = strstr(name, "\r\n") + 2;
      int count = (int)(strstr(name, "\r\n") - name);
      say(peer, "XACK s g %.*s\r\nXDEL s %.*s\r\n", count, name, count, name);
      entry = strstr(name, "$128\r\n") + 6 + 130;
    }
    say(peer, "XREADGROUP GROUP g c COUNT 1024 BLOCK 0 STREAMS s >\r\n");
    at = next;
  }
  used(peer, at);
}

// MARK: NATS JetStream

static void nats_begin(void) {
  const char *stream =
      "{\"name\":\"s\",\"subjects\":[\"s.x\"],\"storage\":\"file\",\"retention\":\"workqueue\",\"num_replicas\":1}";
  const char *push =
      "{\"stream_name\":\"s\",\"config\":{\"durable_name\":\"c\",\"deliver_subject\":\"to.c\",\"ack_policy\":\"explicit\","
      "\"max_ack_pending\":2048}}";
  say(&sender, "CONNECT {\"verbose\":false,\"headers\":true,\"no_responders\":true}\r\nSUB in.* 1\r\n");
  say(&sender, "PUB $JS.API.STREAM.CREATE.s in.made %zu\r\n%s\r\n", strlen(stream), stream);
  flush_peer(&sender);
  usleep(500000);
  say(&consumer, "CONNECT {\"verbose\":false}\r\nSUB to.c 1\r\nSUB ok.* 2\r\n");
  say(&consumer, "PUB $JS.API.CONSUMER.DURABLE.CREATE.s.c ok.made %zu\r\n%s\r\n", strlen(push), push);
  flush_peer(&consumer);
  usleep(500000);
}

static void nats_send(void) { say(&sender, "PUB s.x in.p 128\r\n%s\r\n", payload); }

static void nats_read(peer *peer) {
  char *at = peer->in, *end;
  while ((end = strstr(at, "\r\n"))) {
    if (!strncmp(at, "PING", 4)) say(peer, "PONG\r\n");
    if (*at == '-') give_up(at);
    if (strncmp(at, "MSG ", 4) && strncmp(at, "HMSG ", 5)) {
      at = end + 2;
      continue;
    }
    char *last = end;
    while (last[-1] != ' ') last--;
    long count = atol(last);
    if (end + 2 + count + 2 > peer->in + peer->in_count) break;
    if (peer == &sender) {
      if (memmem(end, count, "\"error\"", 7)) give_up(end + 2);
      if (!strncmp(at, "MSG in.p ", 9)) stored++;
    } else if (!strncmp(at, "MSG s.x ", 8)) {
      char *reply = at + 4;
      for (int words = 0; words < 2; words++) reply = strchr(reply, ' ') + 1;
      say(peer, "PUB %.*s ok.a 4\r\n+ACK\r\n", (int)(strchr(reply, ' ') - reply), reply);
    } else if (!strncmp(at, "MSG ok.a ", 9)) {
      done++;
    }
    at = end + 2 + count + 2;
  }
  used(peer, at);
}

// MARK: All

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

int main(int count, char **arguments) {
  const char *const kinds[] = {"baton", "redis", "nats", "ordinary"};
  void (*const begin[])(void) = {baton_begin, redis_begin, nats_begin, baton_begin};
  void (*const one[])(void) = {baton_send, redis_send, nats_send, ordinary_send};
  void (*const take[])(peer *) = {baton_read, redis_read, nats_read, baton_read};
  int which = 0;
  while (count == 5 && which < 4 && strcmp(arguments[1], kinds[which])) which++;
  if (count != 5 || which == 4) return fprintf(stderr, "load baton|ordinary|redis|nats PORT IN-FLIGHT MESSAGES\n"), 64;
  in_flight = atol(arguments[3]);
  messages = atol(arguments[4]);
  memset(payload, 'x', 128);
  open_peer(&sender, atoi(arguments[2]));
  open_peer(&consumer, atoi(arguments[2]));
  begin[which]();
  flush_peer(&sender);
  flush_peer(&consumer);
  usleep(300000);
  double began = now();
  while (done < messages) {
    for (; sent < messages && sent - done < in_flight; sent++) one[which]();
    flush_peer(&sender);
    flush_peer(&consumer);
    struct pollfd polled[2] = {{.fd = sender.descriptor, .events = POLLIN}, {.fd = consumer.descriptor, .events = POLLIN}};
    if (sender.out_count) polled[0].events |= POLLOUT;
    if (consumer.out_count) polled[1].events |= POLLOUT;
    if (poll(polled, 2, 20000) == 0) give_up("nothing came for 20 seconds");
    peer *const peers[] = {&sender, &consumer};
    for (int index = 0; index < 2; index++) {
      if (!(polled[index].revents & POLLIN)) continue;
      read_peer(peers[index]);
      take[which](peers[index]);
    }
  }
  printf("%.2f\n", (now() - began) / messages);
  return 0;
}
