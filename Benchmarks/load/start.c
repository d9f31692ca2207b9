// From the start of a server's process to its answer to the first line.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "options.h"
#include "process.h"
#include "trouble.h"
#include "work.h"

static pid_t start(char **command) {
  pid_t process = fork();
  if (process < 0) give_up("no process can be started");
  if (process > 0) return process;
  pin(options.server_core);
  int nothing = open("/dev/null", O_RDWR);
  dup2(nothing, 0), dup2(nothing, 1), dup2(nothing, 2);
  execvp(command[0], command);
  _exit(127);
}

static bool is_listening(void) {
  int probe = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(options.port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  bool listens = connect(probe, (struct sockaddr *)&address, sizeof address) == 0;
  close(probe);
  return listens;
}

int measure_start(char **command) {
  if (!command[0] || !options.port) give_up("say --port, and the command that listens there behind --");
  int64_t began = clock_now();
  pid_t process = start(command);
  const struct timespec pause = {.tv_nsec = 100000};
  while (!is_listening()) {
    if (waitpid(process, NULL, WNOHANG) == process) give_up("%s ended", command[0]);
    if (clock_now() > began + 20000000000) kill(process, SIGKILL), give_up("%s does not listen", command[0]);
    nanosleep(&pause, NULL);
  }
  double listening = (clock_now() - began) / 1e6;
  peer_join(IDLER, 0);
  wait_until_ready();
  double ready = (clock_now() - began) / 1e6;
  printf(
    "{\"listening_ms\":%.2f,\"ready_ms\":%.2f,\"resident_bytes\":%ld}\n", listening, ready, resident_bytes(process));
  kill(process, SIGTERM);
  waitpid(process, NULL, 0);
  return 0;
}
