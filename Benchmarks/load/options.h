// What the load was asked for on its command line.
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct options {
  const char *driver_name;
  int port;
  int server;                  // the server's process, or 0
  int core, server_core;       // where the load, and a server that it starts, are to run, or -1
  int count;                   // handlers, subscribers or connections
  int window;                  // messages or broadcasts in flight
  int bytes;                   // of the whole line that Baton is sent
  double warm_up, seconds;
  uint64_t messages;           // measure so many instead of a time, unless 0
  int links_elsewhere, links_here, wildcards;  // what else the server knows
  bool fresh_topics;           // a new topic with every message
  uint32_t topics;             // so many of them in turn; 0: none comes again
  bool is_structured;          // payloads are objects that all differ, and not one text
  bool is_encrypted;           // TLS
  const char *token;           // what Baton is told first, or NULL
  const char *lengths;         // of the lines of the floor
  bool is_fanout;              // broadcasts are sent, and not messages
};
extern struct options options;

// Reads the words behind the work's name; the first of `words` is the name itself. Ends the load where they are wrong.
// Returns the place of the first word that is no option.
int read_options(int count, char **words);
// Says how the load is used, and ends it.
_Noreturn void end_with_usage(void);

#endif
