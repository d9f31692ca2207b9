// The load of `doors/run`: listeners, idle connections, and requests one after the other, over sockets, WebSockets and
// HTTP. One thread on one epoll. It says what the server's process has used of its processor meanwhile.
//
//     load listeners|idle|requests tcp|ws|nats|nats-ws|http PORT PID COUNT SECONDS
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "process.h"
#include "trouble.h"

enum { PAYLOAD = 128, IN_FLIGHT = 64, BUFFER = 1 << 20, EVENTS = 512 };

static const char *kind;
static int port, server, count, poll_set;
static double seconds;
static char buffer[BUFFER];
static bool is_framed, is_nats;

// MARK: The server

// All its threads together.
static double used_microseconds(void) {
  clockid_t clock;
  struct timespec used;
  if (clock_getcpuclockid(server, &clock) || clock_gettime(clock, &used)) give_up("the server has gone");
  return used.tv_sec * 1e6 + used.tv_nsec / 1e3;
}

// MARK: Connections

static void write_all(int socket, const char *bytes, size_t length) {
  while (length) {
    ssize_t taken = write(socket, bytes, length);
    if (taken < 0 && errno != EINTR) give_up("a write failed: %s", strerror(errno));
    if (taken > 0) bytes += taken, length -= taken;
  }
}

// Says text, in a masked frame where there are frames. A mask of zeros leaves the bytes as they are.
static void say(int socket, const char *text, size_t length) {
  char framed[8 + 2048];
  if (!is_framed) return write_all(socket, text, length);
  size_t at = 0;
  framed[at++] = is_nats ? (char)0x82 : (char)0x81;
  if (length < 126) framed[at++] = 0x80 | length;
  else framed[at++] = 0x80 | 126, framed[at++] = length >> 8, framed[at++] = length & 255;
  memset(framed + at, 0, 4);
  memcpy(framed + at + 4, text, length);
  write_all(socket, framed, at + 4 + length);
}

// Reads until the text has come.
static void wait_for(int socket, const char *text) {
  static char came[1 << 16];
  size_t length = 0;
  while (!memmem(came, length, text, strlen(text))) {
    ssize_t more = read(socket, came + length, sizeof came - length);
    if (more <= 0) give_up("\"%s\" does not come: %.*s", text, (int)length, came);
    length += more;
  }
}

static int open_connection(void) {
  struct sockaddr_in address = {
    .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
  if (made < 0 || connect(made, (struct sockaddr *)&address, sizeof address)) {
    give_up("cannot connect: %s", strerror(errno));
  }
  setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (is_framed) {
    char text[512];
    int length = snprintf(text, sizeof text,
                          "GET /%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                          "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: c2l4dGVlbiBieXRlcy4uLg==\r\n\r\n",
                          is_nats ? "" : "ws", port);
    write_all(made, text, length);
    wait_for(made, "\r\n\r\n");
  }
  if (is_nats) {
    static const char greeting[] = "CONNECT {\"verbose\":false}\r\nPING\r\n";
    say(made, greeting, sizeof greeting - 1);
    wait_for(made, "PONG");
  } else if (strcmp(kind, "http")) {
    say(made, "{\"op\":\"ping\"}\n", 14);
    wait_for(made, "pong");
  }
  return made;
}

static void watch(int socket) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = socket};
  epoll_ctl(poll_set, EPOLL_CTL_ADD, socket, &event);
}

// How often a mark has come since the last call; waits for something.
static uint64_t read_marks(char mark, int *from, int most) {
  struct epoll_event events[EVENTS];
  uint64_t marks = 0;
  int found = epoll_wait(poll_set, events, most < EVENTS ? most : EVENTS, 1000);
  for (int i = 0; i < found; i++) {
    ssize_t length = read(events[i].data.fd, buffer, BUFFER);
    if (length <= 0) give_up("the server has closed a connection");
    for (char *at = buffer, *end = buffer + length; (at = memchr(at, mark, end - at)); at++) marks++;
    if (from) *from = events[i].data.fd;
  }
  return marks;
}

// MARK: Work

// Everybody hears everything that one says. One mark stands in each payload.
static void measure_listeners(void) {
  char payload[PAYLOAD + 1], line[512];
  memset(payload, 'x', PAYLOAD);
  payload[0] = '~', payload[PAYLOAD] = 0;
  for (int i = 0; i < count; i++) {
    int made = open_connection();
    if (is_nats) {
      say(made, "SUB t 1\r\nPING\r\n", 15);
      wait_for(made, "PONG");
    } else {
      static const char subscribe[] = "{\"op\":\"subscribe\",\"topics\":[\"t\"]}\n";
      say(made, subscribe, sizeof subscribe - 1);
      wait_for(made, "ok");
    }
    watch(made);
  }
  int speaker = open_connection();
  int length = is_nats ? snprintf(line, sizeof line, "PUB t %d\r\n%s\r\n", PAYLOAD, payload)
    : snprintf(line, sizeof line,
               "{\"op\":\"broadcast\",\"topic\":\"t\",\"reply\":false,\"payload\":\"%.*s\"}\n", PAYLOAD - 2, payload);
  uint64_t said = 0, heard = 0, begun = 0;
  double used = 0;
  int64_t start = clock_now(), warm = start + 300000000, over = 0;
  while (true) {
    while (said * count < heard + (uint64_t)IN_FLIGHT * count) say(speaker, line, length), said++;
    heard += read_marks('~', NULL, EVENTS);
    int64_t now = clock_now();
    if (!over && now > warm) {
      begun = heard, used = used_microseconds(), start = now, over = now + (int64_t)(seconds * 1e9);
    }
    if (over && now > over) break;
  }
  double deliveries = heard - begun;
  printf("{\"us\":%.4f,\"per_second\":%.0f}\n", (used_microseconds() - used) / deliveries,
         deliveries * 1e9 / (clock_now() - start));
}

static void measure_idle(void) {
  // What the first connections bring with them counts for nobody.
  for (int i = 0; i < 100; i++) open_connection();
  long before = resident_bytes(server);
  for (int i = 0; i < count; i++) open_connection();
  printf("{\"bytes\":%.0f}\n", (double)(resident_bytes(server) - before) / count);
}

// So many connections, on each of which a request follows the answer before. Nobody handles the message.
static void measure_requests(void) {
  bool isHTTP = !strcmp(kind, "http");
  char request[512];
  int length = isHTTP
    ? snprintf(request, sizeof request,
               "POST /send/t HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUser-Agent: load\r\nAccept: */*\r\n"
               "Content-Type: application/json\r\nContent-Length: 130\r\n\r\n\"%0*d\"", port, PAYLOAD, 1)
    : snprintf(request, sizeof request,
               "{\"op\":\"send\",\"id\":1,\"topic\":\"t\",\"payload\":\"%0*d\"}\n", PAYLOAD, 1);
  for (int i = 0; i < count; i++) {
    int made = open_connection();
    watch(made);
    say(made, request, length);
  }
  uint64_t answered = 0, begun = 0;
  double used = 0;
  int64_t start = clock_now(), warm = start + 300000000, over = 0;
  while (true) {
    int from = -1;
    // A line has one closing brace; so has the body of an answer.
    uint64_t got = read_marks('}', &from, 1);
    answered += got;
    if (got) say(from, request, length);
    int64_t now = clock_now();
    if (!over && now > warm) {
      begun = answered, used = used_microseconds(), start = now, over = now + (int64_t)(seconds * 1e9);
    }
    if (over && now > over) break;
  }
  double requests = answered - begun;
  printf("{\"us\":%.4f,\"per_second\":%.0f}\n", (used_microseconds() - used) / requests,
         requests * 1e9 / (clock_now() - start));
}

int main(int words, char **word) {
  if (words != 7) give_up("load listeners|idle|requests tcp|ws|nats|nats-ws|http PORT PID COUNT SECONDS");
  kind = word[2], port = atoi(word[3]), server = atoi(word[4]), count = atoi(word[5]), seconds = atof(word[6]);
  is_framed = !strcmp(kind, "ws") || !strcmp(kind, "nats-ws");
  is_nats = !strncmp(kind, "nats", 4);
  raise_file_limit();
  poll_set = epoll_create1(EPOLL_CLOEXEC);
  if (!strcmp(word[1], "listeners")) measure_listeners();
  else if (!strcmp(word[1], "idle")) measure_idle();
  else if (!strcmp(word[1], "requests")) measure_requests();
  else give_up("no work is called %s", word[1]);
}
