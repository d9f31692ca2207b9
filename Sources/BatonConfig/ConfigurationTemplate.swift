internal import BatonCore

/// The file that `baton config init` prints: every key with its default and a reason. All but one line are comments, so
/// that it changes nothing until a person takes a `#` away. That line says what a server without a file does: a file that
/// says nothing of it is a mistake.
///
/// A line of words begins with `# ` and a letter, a line of the file with `#` alone. A test takes the second kind of
/// `#` away and reads the file.
public enum ConfigurationTemplate {
  /// The file, with an LF at its end.
  public static var text: String {
    """
    # The file of a Baton server: baton serve --config FILE, or BATON_CONFIG=FILE.
    # All but the line with open are comments here, and each value is the default or an example. Take the # in front of a
    # line away to use it. Check the file with: baton config check FILE

    # Where the server listens: tcp:HOST:PORT, tls:HOST:PORT or unix:PATH. An address with [ ] wants quotes.
    #listen:
    #  - \(ListenEntry.byDefault.place)
    # A Unix socket is for its owner only, unless mode and group say more. The path is relative to this file.
    #  - { unix: baton.sock, mode: '0660', group: baton }
    # Tokens are taken over plain TCP only if something in front of the server encrypts.
    #  - { tcp: '[::1]:22866', plain_tokens: false }
    # Each connection begins with the header of a proxy that proxies names (the PROXY protocol).
    #  - { tcp: 127.0.0.1:22864, proxy_protocol: true }
    # Encrypted; needs the certificate under tls.
    #  - tls:0.0.0.0:22867

    # Where HTTP is served, for browsers and programs without a library: HOST:PORT or https:HOST:PORT; off: nowhere. With
    # listen above, and without this, it is served nowhere.
    #http:
    #  - 127.0.0.1:22868
    # Tokens are taken over plain HTTP only if something in front of the server encrypts.
    #  - { http: '[::1]:22868', plain_tokens: false }
    # Encrypted; needs the certificate under tls.
    #  - { https: 0.0.0.0:22869 }
    # The names that clients may ask for (Host), beside addresses in numbers and localhost.
    #http_hosts: [baton.example]
    # Other origins whose pages may ask, each in full, as browsers send it.
    #allow_origins: ['https://app.example']
    # The address under which browsers reach the server through a proxy.
    #public_address: https://baton.example
    # The proxies that are believed when they say where their clients are: addresses, or ranges of them.
    #proxies: [127.0.0.1, 10.0.0.0/24]
    # The header in which they say it over HTTP, x-forwarded-for or forwarded; without it none is read.
    #proxy_header: x-forwarded-for

    # Encryption. Paths are relative to this file. Take a key of the kind P-256: it is the fastest.
    #tls:
    # The server's certificate, with those between it and its authority, and its private key.
    #  certificate: server.pem
    #  key: server.key
    # The authorities that sign certificates of clients; without it none counts.
    #  clients: clients.pem
    # Whether a connection without a certificate is refused.
    #  require_clients: false

    # Who may do what: open, or peers in its place.
    # local: everybody on this machine may do everything, and the server listens nowhere else. true: everybody may, also
    # from other machines. false: who shows the token of the server's environment (BATON_TOKEN, BATON_TOKEN_FILE).
    open: local
    # With peers, each may do what its entry says, and nothing else. Take the line with open away then.
    #peers:
    # A name for each peer, without dots. It is known by a token, a name in its certificate, or its user on this
    # machine; each of them one or a list. baton token moderator prints the two lines of a token.
    #  moderator:
    #    token: sha256:\(String(repeating: "0", count: 64))
    #    certificate: [dns:moderator.example, uri:spiffe://example/moderator]
    #    user: moderator
    # What it may do; all else is refused. CHAIN and HANDLER may end in *.
    #    may:
    \(Right.examples.dropLast().map { "#      - \(sample($0))" }.joined(separator: "\n"))
    # What all its connections may have together; without it each has what a connection may have.
    #    limits:
    \(limits)
    # This one may do everything.
    #  admin:
    #    user: root
    #    may: [everything]
    # Everybody who is not known. Without it they may do nothing.
    #  anonymous:
    #    may: []

    # Which links stand in a chain, and in which order. Without chains, handlers say it when they come. A chain that is
    # declared here has these links and no others.
    #chains:
    #  main:
    # Whether other links may stand behind these. Otherwise only these handlers may serve the chain.
    #    open: false
    # Each has the name of its handler. What follows is the default, but where the line says otherwise.
    #    links:
    #      - handler: words
    # For which topics it is. A pattern that begins with * or > wants quotes.
    #        accepts: ['>']
    # In ms: how long one offer may take. Without it, the handler says it.
    #        timeout_ms: 1000
    # How many offers one connection may have open. Without it, the handler says it.
    #        window: 16
    # continue (the default): after a failure the next link is asked. stop: the sender gets failed. A map says it for each
    # cause: { timeout: stop, disconnect: stop, failed: stop, overload: continue, breaker: stop }
    #        on_failure: stop
    # true: messages fail while nobody serves it, in place of passing it (default: false). With stop, none gets past it.
    #        required: true
    # In ms: how long messages wait while nobody serves it.
    #        hold_ms: 0
    # Whether several connections may serve it.
    #        share: false
    # Whether it gets copies only, and no message waits for it.
    #        shadow: false
    # In percent: for which part of the messages it is, by their keys.
    #        percent: 100
    # What a message has to say that it is for: a condition.
    #        when: { payload: { amount: [{ numeric: [">", 1000] }] } }
    # Another chain may stand in the place of a handler.
    #      - mount: archive
    #        accepts: [chat.>]
    # Whether the links of that chain are asked at once.
    #        together: false

    # Topics of which events are kept, for listeners that were away; the first entry whose pattern matches counts. keep is
    # how many of each topic, keep_ms how long they are kept at most (without it: as long as there is room).
    #topics:
    #  - { pattern: chat.>, keep: 1000, keep_ms: 3600000 }

    # Where messages are kept that must survive a crash; without it there are no durable messages. The path is relative to
    # this file. A file that is not there is made. It is one server's alone.
    #store: baton.store

    # Several servers as one: one of these nodes leads, the others wait to take its place. There is no store beside it yet.
    #cluster:
    #  name: demo
    # Where clients reach each node. All have the same file; --node or BATON_NODE says which one a server is.
    #  nodes: { a: 10.0.0.1:22866, b: { at: 'tls:b.example:22867', http: https://b.example } }
    # NATS with JetStream, on which the lease stands: one server, or three.
    #  engine: ['tls://10.0.0.7:4222']
    # Who a node is to NATS: a file of mode 0600 with user and password, or with a token; and files for the encryption.
    #  engine_credentials: engine.yaml
    #  engine_tls: { authority: ca.pem }
    # Credentials go to other machines without encryption only if something else encrypts the way.
    #  engine_plain: false
    # How many servers of NATS keep the lease; three where they are a cluster, if it is not said.
    #  engine_replicas: 1
    # A line for each message that ended, for those who must show what was decided (Docs/record.md).
    #record:
    #  directory: record
    #  payload: digest
    # Values that are never kept.
    #  mask: [/payload/password, '/payload/cards/*/number']
    # An end is told only when its line is written; with sync, when it is synced.
    #  strict: true
    #  sync: false
    # Whose messages, and on which topics.
    #  chains: [main]
    #  topics: ['>']
    # A key of Ed25519 that signs heads: openssl genpkey -algorithm ed25519 -out record.key
    #  sign: record.key
    #  head_ms: 60000
    # How large a file becomes, and what is kept; 0: all.
    #  file_bytes: 268435456
    #  keep_bytes: 0
    #  keep_days: 0
    #  keep_contents_days: 0
    # Which messages are in traces of OpenTelemetry (Docs/traces.md): those whose senders want it, and so many of a hundred
    # others; never more a second.
    #trace:
    #  sample: 0
    #  per_second: 100

    # Limits and times. They are those of baton serve --list-settings.
    #settings:
    \(settings)

    """
  }

  /// The example of a right with names in the place of its words in capitals.
  private static func sample(_ right: String) -> String {
    right.replacing("CHAIN[/HANDLER]", with: "main/words").replacing("[on PATTERN]", with: "on chat.>")
      .replacing("[via CHAIN]", with: "via main").replacing("CHAIN", with: "main").replacing("PATTERN", with: "chat.>")
  }

  private static var limits: String {
    let defaults = Settings()
    let rates = ["#      per_second: 100", "#      burst: 200"]
    let others = PeerLimits.table.compactMap { limit in
      Settings.table.first { $0.name == limit.name }.map { "#      \($0.name): \(defaults[keyPath: $0.path])" }
    }
    return (others + rates).joined(separator: "\n")
  }

  private static var settings: String {
    let defaults = Settings()
    return Settings.table.map { setting in
      let range = "\(setting.range.lowerBound) to \(setting.range.upperBound)"
      return
        "# In \(setting.unit), from \(range): \(setting.reason)\n#  \(setting.name): \(defaults[keyPath: setting.path])"
    }.joined(separator: "\n")
  }
}
