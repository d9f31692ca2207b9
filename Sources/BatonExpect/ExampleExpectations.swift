/// The file that `baton expect --example` prints: it runs as it is.
package enum ExampleExpectations {
  /// The file, without an LF at its end.
  package static let text = """
    # What a configuration file does. Play it with: baton expect FILE
    #
    # config names the configuration file, as baton serve --config takes it: config: baton.yaml, relative to this file.
    # To make an example of one piece, its keys stand here instead.
    config:
      peers:
        chat-web: { user: chat, may: ['broadcast chat.> via moderation'] }
      chains:
        moderation:
          links:
            - { handler: words, accepts: [chat.>], timeout_ms: 200, required: true, on_failure: stop }
            - { mount: rooms, accepts: [chat.rooms.>] }
            - { handler: model, shadow: true }
            - { handler: human, hold_ms: 60000 }

    expect:
      # A message, how handlers answer it, and what comes of it. Who is not among the handlers is absent.
      - name: an insult is never published
        as: chat-web
        broadcast: { topic: chat.rooms.kitchen, payload: hey idiot, via: moderation }
        handlers:
          words: { reject: { message: no insults } }
        result: { status: rejected, by: words }
        asked: [words]
        heard: false

      # hangs says nothing, dies loses its connection. The clock is moved, so this takes no time.
      - name: a word list that hangs stops the message, soon
        send: { chain: moderation, topic: chat.rooms.kitchen }
        handlers: { words: hangs, human: { after_ms: 600, handled: { payload: fine } } }
        result: { status: failed, by: words, cause: timeout }
        within_ms: 1000

      # A list is one answer after the other. Who died comes back where the list goes on.
      - name: a person who loses the connection is asked again
        send: { chain: moderation, topic: chat.rooms.kitchen, payload: { text: hello, room: 7 } }
        handlers:
          words: { continue: { payload_json: '{"text":"hello","room":7.0}' } }
          model: { after_ms: 50, reject: { message: a shadow changes nothing } }
          human: [dies, { after_ms: 600, handled: { payload: fine } }]
        result: { status: handled, by: human, payload: fine, again: true, hops: 3 }
        asked: [words, human, human]
        told: [model]

      - name: strangers do not get in
        as: stranger
        send: { chain: moderation, topic: chat.a.b }
        error: auth_required
    """
}
