// The floor of what lasts: SQLite alone, with the same two commits for each message, one when it comes in and one when it
// ends; so many messages in each commit. It prints seconds and CPU time per message, in µs.
//
//   floor FILE IN-FLIGHT MESSAGES
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static sqlite3 *database;

static void check(int code) {
  if (code == SQLITE_OK || code == SQLITE_DONE) return;
  fprintf(stderr, "floor: %s\n", sqlite3_errmsg(database));
  exit(1);
}

static void run(const char *sql) { check(sqlite3_exec(database, sql, NULL, NULL, NULL)); }

static sqlite3_stmt *prepare(const char *sql) {
  sqlite3_stmt *statement;
  check(sqlite3_prepare_v2(database, sql, -1, &statement, NULL));
  return statement;
}

static void step(sqlite3_stmt *statement) {
  check(sqlite3_step(statement));
  sqlite3_reset(statement);
}

static double now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

int main(int count, char **arguments) {
  if (count != 4) return fprintf(stderr, "floor FILE IN-FLIGHT MESSAGES\n"), 64;
  long in_flight = atol(arguments[2]), messages = atol(arguments[3]);
  char payload[128];
  memset(payload, 'x', sizeof payload);
  check(sqlite3_open(arguments[1], &database));
  // As the server has it.
  run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = 0;"
      "PRAGMA wal_autocheckpoint = 4000; PRAGMA cell_size_check = 1; PRAGMA auto_vacuum = 0;"
      "CREATE TABLE message(row INTEGER PRIMARY KEY, payload BLOB NOT NULL)");
  sqlite3_stmt *begin = prepare("BEGIN IMMEDIATE"), *commit = prepare("COMMIT");
  sqlite3_stmt *insert = prepare("INSERT INTO message VALUES(?, ?)"), *end = prepare("DELETE FROM message WHERE row = ?");
  double wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
  long done = 0;
  while (done < messages) {
    step(begin);
    for (long index = 1; index <= in_flight; index++) {
      sqlite3_bind_int64(insert, 1, done + index);
      sqlite3_bind_blob(insert, 2, payload, sizeof payload, SQLITE_STATIC);
      step(insert);
    }
    step(commit);
    step(begin);
    for (long index = 1; index <= in_flight; index++) {
      sqlite3_bind_int64(end, 1, done + index);
      step(end);
    }
    step(commit);
    done += in_flight;
  }
  printf("%.2f %.2f\n", (now(CLOCK_MONOTONIC) - wall) / done, (now(CLOCK_PROCESS_CPUTIME_ID) - cpu) / done);
  return 0;
}
