/* A daemon that asks plug-ins. It reads names of files, one a line, and deletes them, unless a plug-in says no or takes
 * the file. It needs no library: a request is a line of JSON, and so is its answer.
 *
 * tidy SOCKET
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Writes a text as a string of JSON. It must be UTF-8: the server refuses other bytes. */
static void write_string(FILE *out, const char *text) {
  putc('"', out);
  for (const unsigned char *byte = (const unsigned char *)text; *byte; byte++) {
    if (*byte == '"' || *byte == '\\') {
      fprintf(out, "\\%c", *byte);
    } else if (*byte < 0x20) {
      fprintf(out, "\\u%04x", *byte);
    } else {
      putc(*byte, out);
    }
  }
  putc('"', out);
}

/* Shows what others wrote, with a question mark for each byte that is not plain ASCII: it could steer a terminal. */
static void show(const char *text) {
  for (; *text; text++) putchar(*text >= ' ' && *text <= '~' ? *text : '?');
}

/* The end of a string of JSON that begins at `at`, behind its quote, or NULL. */
static const char *end_of_string(const char *at) {
  for (at++; *at && *at != '"'; at++) {
    if (*at == '\\' && *++at == 0) return NULL;
  }
  return *at ? at + 1 : NULL;
}

/* Copies a member of the line's object that is a string, as it is spelled there. Returns 0 where there is none. Members
 * of objects within it, such as a payload, do not count. */
static int member(const char *line, const char *name, char *value, size_t size) {
  int depth = 0;
  for (const char *at = line; *at;) {
    if (*at == '"') {
      const char *end = end_of_string(at);
      if (!end) return 0;
      int is_it = depth == 1 && (size_t)(end - at) == strlen(name) + 2 && !strncmp(at + 1, name, strlen(name));
      at = end;
      if (!is_it || at[0] != ':' || at[1] != '"') continue;
      end = end_of_string(at + 1);
      if (!end || (size_t)(end - at) - 3 >= size) return 0;
      memcpy(value, at + 2, (size_t)(end - at) - 3);
      value[end - at - 3] = 0;
      return 1;
    }
    depth += *at == '{' || *at == '[';
    depth -= *at == '}' || *at == ']';
    at++;
  }
  return 0;
}

static FILE *from_baton, *to_baton;

static int connect_to(const char *path) {
  struct sockaddr_un place = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof place.sun_path) return errno = ENAMETOOLONG, 0;
  strcpy(place.sun_path, path);
  int socket_ = socket(AF_UNIX, SOCK_STREAM, 0);
  if (socket_ < 0 || connect(socket_, (struct sockaddr *)&place, sizeof place) < 0) return 0;
  from_baton = fdopen(socket_, "r");
  to_baton = fdopen(dup(socket_), "w");
  return from_baton && to_baton;
}

/* Asks the plug-ins, and says what the daemon does. It deletes only where it knows that nobody minds. */
static void delete(const char *name) {
  static char *line;
  static size_t room;
  static unsigned long count;
  char id[32], answered[32], op[32], status[32] = "", by[128] = "", message[1024] = "";

  snprintf(id, sizeof id, "%lu", ++count);
  fprintf(to_baton, "{\"op\":\"send\",\"id\":\"%s\",\"chain\":\"tidy\",\"topic\":\"file.delete\",", id);
  fputs("\"timeout_ms\":10000,\"payload\":", to_baton);
  write_string(to_baton, name);
  fputs("}\n", to_baton);
  fflush(to_baton);
  /* The server says other things, too, such as that it shuts down. The answer about one file must not pass for that
   * about the next. An error about a line that is no JSON has no id. */
  do {
    if (getline(&line, &room, from_baton) < 0) {
      fprintf(stderr, "tidy: the connection to Baton is lost; start tidy again when the server is there\n");
      exit(1);
    }
    *op = *answered = 0;
    member(line, "op", op, sizeof op);
    member(line, "id", answered, sizeof answered);
  } while (strcmp(op, "error") && strcmp(answered, id));
  member(line, "status", status, sizeof status);
  member(line, "by", by, sizeof by);
  member(line, "message", message, sizeof message);
  show(name);
  if (!strcmp(status, "unhandled")) {
    if (unlink(name) == 0) {
      printf(": deleted\n");
    } else {
      printf(": cannot be deleted: %s\n", strerror(errno));
    }
  } else if (!strcmp(status, "handled")) {
    printf(": %s has taken it\n", by);
  } else {
    printf(": kept; %s%s", *by ? by : "Baton", *message ? " says: " : " did not answer");
    show(message);
    printf("\n");
  }
  fflush(stdout);
}

int main(int count, char **arguments) {
  char *name = NULL;
  size_t room = 0;
  ssize_t length;

  if (count != 2) {
    fprintf(stderr, "usage: tidy SOCKET\n");
    return 64;
  }
  /* A server that has gone is told by the write that fails. */
  signal(SIGPIPE, SIG_IGN);
  if (!connect_to(arguments[1])) {
    fprintf(stderr, "tidy: cannot connect to %s: %s\n", arguments[1], strerror(errno));
    return 1;
  }
  while ((length = getline(&name, &room, stdin)) > 0) {
    if (name[length - 1] == '\n') name[length - 1] = 0;
    if (*name) delete(name);
  }
  return 0;
}
