// Encryption, as a client: OpenSSL over a socket. TLS 1.3 with the same cipher for every server, no resumption. Who the
// server is, is not checked.
#ifndef TLS_H
#define TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

// One encrypted connection; OpenSSL's own name for it is SSL.
struct ssl_st;

// The most bytes that are encrypted in one piece.
enum { TLS_RECORD = 16 << 10 };

// A session over a connected socket. `protocol` is asked for (ALPN), unless it is NULL.
struct ssl_st *tls_open(int socket, const char *protocol);
// Goes on with the handshake: 1 when it is done, 0 if it waits for the server, -1 if it has failed.
int tls_shake(struct ssl_st *tls);
// Like `read` and `write`. A read goes on until nothing is left or the room is full. A write takes one record at most.
ssize_t tls_read(struct ssl_st *tls, char *bytes, size_t room);
ssize_t tls_write(struct ssl_st *tls, const char *bytes, size_t count);
// Forgets the session; nothing is said.
void tls_forget(struct ssl_st *tls);
// The first words of a handshake, for those who do not go on with it. Returns how many bytes they are.
size_t tls_first_words(char *bytes, size_t room, const char *protocol);

#endif
