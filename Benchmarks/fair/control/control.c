// The honest peers of `fair`: a sender and a handler on a chain of their own, and a peer that types slowly. The sender
// sends by the clock, whatever comes back, and each time counts from when the message was due. So a server that stalls
// is charged for each message that it keeps waiting, and not only for the one in flight. See README.md.
//
// It says `ready` when its handler serves. It reads orders from its input: `mark NAME` begins a phase, `end` ends it.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "clock.h"
#include "process.h"
#include "record.h"
#include "trouble.h"

enum { SENDER, HANDLER, TYPIST, PEERS, INPUT = PEERS, BUFFER = 256 << 10 };

// How long half a line of the typist stays unfinished, and how long until it begins the next one; how long what is
// missing at the end is waited for.
static const int64_t typing = 1900000000LL, rest = 100000000LL, patience = 5000000000LL;

struct line_peer {
  int socket;
  bool is_new;
  char out[BUFFER], in[BUFFER];
  size_t out_count, in_count;
};
static struct line_peer peers[PEERS];

static int port;
static const char *token;       // what each connection says first, or NULL
static bool has_ended;

static const char insertion[] = "{\"op\":\"insert\",\"chain\":\"control\",\"handler\":\"control\"}\n";

// MARK: Connections

static void say(struct line_peer *peer, const char *text) {
  size_t count = strlen(text);
  // What does not fit is lost; that many lines wait only when nothing is read for minutes.
  if (peer->out_count + count > sizeof peer->out) return;
  memcpy(peer->out + peer->out_count, text, count);
  peer->out_count += count;
}

static void join(int role) {
  struct line_peer *peer = &peers[role];
  peer->out_count = peer->in_count = 0;
  peer->is_new = true;
  peer->socket = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int yes = 1;
  setsockopt(peer->socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (connect(peer->socket, (struct sockaddr *)&address, sizeof address) && errno != EINPROGRESS) {
    give_up("cannot connect to port %d: %s", port, strerror(errno));
  }
  char hello[256];
  snprintf(hello, sizeof hello, "{\"op\":\"hello\",\"token\":\"%s\"}\n", token ? token : "");
  if (token) say(peer, hello);
  if (role == HANDLER) say(peer, insertion);
}

static void join_again(int role) {
  record_closed();
  close(peers[role].socket);
  join(role);
}

static void flush(int role) {
  struct line_peer *peer = &peers[role];
  if (!peer->out_count) return;
  ssize_t taken = write(peer->socket, peer->out, peer->out_count);
  if (taken < 0 && (errno == EAGAIN || errno == ENOTCONN)) return;
  if (taken < 0) return join_again(role);
  memmove(peer->out, peer->out + taken, peer->out_count - taken);
  peer->out_count -= taken;
}

// MARK: What comes

static void take(int role, char *line) {
  long id;
  if (role == HANDLER && sscanf(line, "{\"op\":\"offer\",\"id\":%ld", &id) == 1) {
    char text[64];
    snprintf(text, sizeof text, "{\"op\":\"handled\",\"id\":%ld}\n", id);
    say(&peers[HANDLER], text);
  } else if (role == HANDLER && peers[HANDLER].is_new) {
    // After a lost connection the link may still be there for a while.
    if (!strncmp(line, "{\"op\":\"welcome\"", 15)) return;
    if (strncmp(line, "{\"op\":\"ok\"", 10)) return say(&peers[HANDLER], insertion);
    peers[HANDLER].is_new = false;
  } else if (role == SENDER && sscanf(line, "{\"op\":\"result\",\"id\":%ld", &id) == 1) {
    record_result(id, !strstr(line, "\"status\":\"handled\""));
  }
}

static void receive(int role) {
  struct line_peer *peer = &peers[role];
  ssize_t count = read(peer->socket, peer->in + peer->in_count, sizeof peer->in - 1 - peer->in_count);
  if (count < 0 && (errno == EAGAIN || errno == ENOTCONN)) return;
  if (count <= 0) return join_again(role);
  now = clock_now();
  peer->in_count += count;
  peer->in[peer->in_count] = 0;
  char *line = peer->in, *end;
  while ((end = memchr(line, '\n', peer->in + peer->in_count - line))) {
    *end = 0;
    take(role, line);
    line = end + 1;
  }
  peer->in_count -= line - peer->in;
  memmove(peer->in, line, peer->in_count);
}

// MARK: What is sent

static void send_message(int64_t due) {
  char text[128];
  snprintf(text, sizeof text,
           "{\"op\":\"send\",\"id\":%zu,\"chain\":\"control\",\"topic\":\"control\"}\n",
           record_sent(due));
  say(&peers[SENDER], text);
}

// Begins a line, and ends it much later. A server that is short of room for unfinished lines must not close this one.
static void type_slowly(void) {
  static int64_t next;
  static bool has_begun;
  if (peers[TYPIST].is_new) peers[TYPIST].is_new = has_begun = false, next = now;
  if (now < next) return;
  say(&peers[TYPIST], has_begun ? "ng\"}\n" : "{\"op\":\"pi");
  has_begun = !has_begun;
  next = now + (has_begun ? typing : rest);
}

// MARK: The loop

// Returns whether to go on.
static bool take_order(void) {
  char order[64], name[32];
  ssize_t count = read(0, order, sizeof order - 1);
  if (count <= 0) return false;
  order[count] = 0;
  if (sscanf(order, "mark %31s", name) != 1) return false;
  begin_phase(name);
  return true;
}

static void wait_until(int64_t until, bool listens) {
  struct pollfd polled[PEERS + 1];
  for (int i = 0; i < PEERS; i++) {
    flush(i);
    polled[i] = (struct pollfd){.fd = peers[i].socket, .events = POLLIN | (peers[i].out_count ? POLLOUT : 0)};
  }
  polled[INPUT] = (struct pollfd){.fd = listens ? 0 : -1, .events = POLLIN};
  int64_t left = until - clock_now();
  struct timespec time = {left > 0 ? left / 1000000000 : 0, left > 0 ? left % 1000000000 : 0};
  ppoll(polled, PEERS + 1, &time, NULL);
  now = clock_now();
  for (int i = 0; i < PEERS; i++) if (polled[i].revents & ~POLLOUT) receive(i);
  if (polled[INPUT].revents) has_ended = !take_order();
}

int main(int count, char **words) {
  if (count < 4 || count > 5) fputs("usage: control PORT CORE MESSAGES-PER-SECOND [TOKEN]\n", stderr), exit(2);
  port = atoi(words[1]);
  int64_t pause = 1000000000LL / atoi(words[3]);
  token = words[4];
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  prctl(PR_SET_TIMERSLACK, 1);
  pin(atoi(words[2]));
  // The hostile program has the same core. Where it is allowed, this one goes first: its own waiting is no figure.
  struct sched_param first = {.sched_priority = 1};
  sched_setscheduler(0, SCHED_FIFO, &first);
  for (int i = 0; i < PEERS; i++) join(i);
  now = clock_now();
  while (peers[HANDLER].is_new) wait_until(now + 1000000, false);
  puts("ready"), fflush(stdout);
  int64_t due = now;
  while (!has_ended) {
    for (; due <= now; due += pause) if (has_phase()) send_message(due);
    type_slowly();
    wait_until(due, true);
  }
  int64_t until = now + patience;
  while (is_pending() && now < until) wait_until(now + 1000000, false);
  print_phases();
  return 0;
}
