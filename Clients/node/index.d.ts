// The types of baton-client. All times are in milliseconds.

declare global {
  // Where the types of the language are older than `await using`; they say the same otherwise.
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol;
  }
}

/** What a client is, all of it optional. */
export interface ClientOptions {
  /**
   * The place of the server: `HOST:PORT` (`[::1]:PORT`), `tls:HOST:PORT` or `unix:PATH`, or several of them with commas between
   * them: the client begins with one by chance, and goes to the next one at once where a server cannot be reached, is lost, shuts
   * down, has no room, or does not lead (`not_leading`). The default is the
   * environment variable `BATON_SERVER`, or `127.0.0.1:22866`.
   */
  at?: string;
  /** The name that other programs see: 1 to 64 of `A-Z a-z 0-9 _ . -`. */
  name?: string;
  /**
   * By what the server knows the program. The default is the environment variable `BATON_TOKEN`; without it `tokenFile`
   * counts.
   */
  token?: string;
  /** The file of the token. The default is the environment variable `BATON_TOKEN_FILE`. */
  tokenFile?: string;
  /** Whether the token may go over plain TCP to other machines, because something else encrypts the way. */
  plainToken?: boolean;
  /** The file of the authorities that count for a server at `tls:HOST:PORT`. The default is the
   * environment variable `BATON_TLS_CA`, or those that Node trusts. */
  ca?: string;
  /** The file of what the server knows this program by. It is read again for each connection after a loss. */
  certificate?: string;
  /** The file of its private key. All files are PEM. */
  key?: string;
  /**
   * Public keys, at most two, of which the server must have one, too: each is the base64 of the SHA-256 of its
   * SubjectPublicKeyInfo.
   */
  pins?: string | string[];
  /**
   * Milliseconds of silence after which the server pings this program; at least 100; the default is 15000. This program
   * pings a server that is silent for twice as long, and gives it up after as long again.
   */
  heartbeat?: number;
  /** Milliseconds for which a request waits for a connection; the default is 30000. */
  patience?: number;
  /**
   * How many bytes of requests may wait to be sent; the default is 8 MiB. One that is more fails at once (`BacklogFull`).
   */
  maxWaitingBytes?: number;
  /** Takes lines for people about connections that come and go. */
  report?: (line: string) => void;
  /**
   * With false, a handler that throws has `failed`, and no more is said: the texts of errors may hold paths and
   * passwords. The default is true.
   */
  exposeErrors?: boolean;
  /** Takes what handlers and subscribers throw or do wrong; the default is `console.error`, which prints the stack. */
  logError?: (text: string, error?: unknown) => void;
}

// contract: words
/** What may become of a message. */
export type Status = 'handled' | 'unhandled' | 'published' | 'rejected' | 'failed' | 'timeout' | 'cancelled';

/** What can go wrong with a message at a link. */
export type LinkCause = 'timeout' | 'disconnect' | 'failed' | 'overload' | 'breaker';

/** Why a message is `failed`: at a link, or because the disk of the server has lost the bytes of a durable one. */
export type Cause = LinkCause | 'damaged';
// contract ends

/** Whether the next link is asked, or the sender gets `failed`. */
export type FailurePolicy = 'continue' | 'stop';

/** Where a handler stands in its chain, and how it is asked. At most one of `at`, `before`, `after` and `rank`. */
export interface HandlerOptions {
  /** The name of the link, unique in its chain. The default is the name of the function. */
  name?: string;
  /** The chain; the default is `main`. */
  chain?: string;
  /** The front of the chain, or its back (the default). A handler that comes back takes its old place. */
  at?: 'front' | 'back';
  /** The link that it stands before. */
  before?: string;
  /** The link that it stands behind. */
  after?: string;
  /** Links are ordered by rank, lower first. */
  rank?: number | Json;
  /** Milliseconds that one offer may take; the default is a fair share of the time of the message. */
  timeout?: number;
  /** How many offers may be open at once; the default is 256. */
  window?: number;
  /** What a failure means for a message, for all causes or for each; the default is `continue`. */
  onFailure?: FailurePolicy | { [cause in LinkCause]?: FailurePolicy };
  /** Whether several programs serve the link as replicas. */
  share?: boolean;
  /** Milliseconds for which the server keeps the place while nobody serves it. */
  hold?: number;
  /** Whether the server keeps the place for ever while nobody serves it. */
  required?: boolean;
  /** Whether it only gets copies, and its verdicts change nothing. */
  shadow?: boolean;
  /** For which part of the messages it is, by their keys: 5 for five of a hundred. The default is all. */
  percent?: number;
  /** What a message has to say that it is for the handler, such as `{ payload: { tool: ['shell'] } }`. */
  when?: Readonly<Record<string, unknown>>;
  /**
   * Whether no message passes without its verdict: `required`, `onFailure: 'stop'`, and `at: 'front'` unless a place is
   * said. Where the configuration file says less, the client ends with `NotAGuard`.
   */
  guard?: boolean;
}

/** Other settings for a handler that serves. What is left out stays. */
export type LinkChanges = Pick<
  HandlerOptions, 'timeout' | 'window' | 'onFailure' | 'share' | 'hold' | 'required' | 'shadow' | 'percent' | 'when'
> & { accepts?: string | readonly string[] };

/** Another place for a handler that serves: one of these. */
export type LinkPlace = Pick<HandlerOptions, 'at' | 'before' | 'after' | 'rank'>;

/**
 * A handler of a client, in its place in its chain: `client.add()` returns it, and `client.links` has all. What is done with
 * it outlives connections.
 */
export class ServedLink {
  private constructor();
  /** Its chain. */
  readonly chain: string;
  /** Its name in the chain. */
  readonly handler: string;
  /** Where it stands, as of the last connection; undefined before it has had a place. */
  readonly rank: number | undefined;
  /** The same, byte for byte as the server wrote it. */
  readonly rankText: string | undefined;
  /** Whether it was removed, or another client has replaced it. */
  readonly isGone: boolean;
  /**
   * Takes the handler out. Without a connection it leaves the plan; if the server keeps its place, the place is removed on
   * return.
   */
  remove(): Promise<void>;
  /** Gives it other settings. Without a connection it comes back with them. */
  update(changes: LinkChanges): Promise<void>;
  /** Gives it another place. Throws `Unreachable` at once without a connection. */
  move(place: LinkPlace): Promise<void>;
}

/** What a handler gets beside the message. */
export interface HandlerContext {
  /** Aborted when the offer lapses or the connection is lost: nobody waits for the verdict any more. */
  readonly signal: AbortSignal;
}

/** Returns the verdict on a message. If it throws, the verdict is `failed`, with the first line of the error, which is logged. */
export type Handler<T = any> = (message: Message<T>, context: HandlerContext) => Verdict | PromiseLike<Verdict>;

/** What goes with a message. */
export interface SendOptions {
  /** Goes to every handler beside the payload, and none can change it. */
  meta?: unknown;
  /** The chain that it walks; the default is `main`. */
  chain?: string;
  /** `first` stops at the first link that handles it; `all` asks every link. */
  mode?: 'first' | 'all';
  /** Messages of the same chain and key walk one at a time. */
  key?: string;
  /** One deadline for the whole walk, in milliseconds; the default is 30000. */
  timeout?: number;
  /** Whether the result tells the walk hop by hop. */
  trace?: boolean;
  /** Cancels the message: the call ends with the signal's reason, and the server is told. */
  signal?: AbortSignal;
}

/** What goes with a durable message. */
export interface SendDurableOptions extends SendOptions {
  /** Milliseconds of one try. */
  timeout?: number;
  /**
   * Its name, at most 128 bytes: the same message again under it is not taken in again. This library makes one where none is
   * given, and sends the message again under it if the connection is lost.
   */
  once?: string;
  /** How many tries count before it is a dead letter, 1 to 1000; the default is the server's, 25. */
  tries?: number;
  /** Milliseconds before the second try, at most ten minutes; twice as long each time. The default is the server's, 1000. */
  retry?: number;
  /** Milliseconds after which no try begins, at most a week; the default is the server's, a day. */
  expires?: number;
  /** Milliseconds before the first try. */
  delay?: number;
  /** Ends the call with its reason. Until the message is on disk the server is told to cancel it. */
  signal?: AbortSignal;
}

/** Which dead letters come. */
export interface DeadOptions {
  /** The name of a letter behind which to begin. */
  after?: string;
  /** How many come in a page, at most 100. */
  limit?: number;
}

/** What goes with a message that all links are told. */
export interface NotifyOptions {
  /** Goes beside the payload. */
  meta?: unknown;
  /** The chain whose links are told; the default is `main`. */
  chain?: string;
  /** Ends the call with its reason. */
  signal?: AbortSignal;
}

/** What goes with a broadcast. */
export interface BroadcastOptions {
  /** Goes beside the payload. */
  meta?: unknown;
  /** With false, this client does not get the event. */
  echo?: boolean;
  /**
   * With true the payload becomes the value of its topic, which later subscribers may get. Without a payload the value is
   * taken away.
   */
  retain?: boolean;
  /** Cancels it: the call ends with the signal's reason, and the server is told where it walks a chain first. */
  signal?: AbortSignal;
}

/** What a subscriber wants of what the server keeps. */
export interface SubscribeOptions {
  /** With true the values of the topics come first (`event.isRetained`), again after each lost connection. */
  retained?: boolean;
  /**
   * Whether kept events are asked for again that did not come, because the connection was lost or read too slowly. What
   * the server has not any more is told (`event.gone`). The default is true.
   */
  recover?: boolean;
  /** Kept events after this number come first (`event.seq`). Only with `epoch`, and without `retained`. */
  after?: number;
  /** What the number belongs to (`client.epoch`). */
  epoch?: string;
}

/** What goes with a broadcast that walks a chain first. */
export interface WalkedBroadcastOptions extends BroadcastOptions {
  /** The chain that it walks first. It is published after its last link, as the links have rewritten it. */
  via: string;
  /** Broadcasts of the same chain and key walk one at a time. */
  key?: string;
  /** One deadline for the whole walk, in milliseconds. */
  timeout?: number;
  /** Whether the result tells the walk hop by hop. */
  trace?: boolean;
}

/** Which traces a subscriber wants, and how many. What is left out holds for all. */
export interface TraceOptions {
  /** The chain to which the message was sent. */
  chain?: string;
  /** A pattern that matches the topic. */
  topic?: string;
  /** How the walk ended. */
  status?: Result['status'];
  /** Milliseconds; the walk took longer. */
  slowerThan?: number;
  /** The sender: its name, or `#` and its number. */
  from?: string;
  /** The most that come in a second, 1 to 100000; `event.leftOut` says how many were left out before. */
  perSecond?: number;
}

/**
 * A program as Baton sees it: its name, its handlers and its subscribers. Nothing happens until `run()` or `connect()`.
 * From then on it can send, too. A connection that is lost is made again, with the same handlers and subscriptions.
 *
 *     const client = new Client({ name: 'porter' });
 *     client.handle('door.*', { name: 'porter' }, (message) => handled('opened'));
 *     await client.run();
 *
 * What fails between this program and the server is a `BatonError`. A mistake of the program, such as an unknown
 * option, is a `TypeError`. A promise that nobody waits for never ends the program.
 */
export class Client {
  constructor(options?: ClientOptions);

  /** The place of the server. */
  readonly at: string;
  /**
   * Who this program is to the server, as of its last connection; undefined where the server asks nobody, or does not
   * know it.
   */
  readonly identity: string | undefined;
  /** The rights of this program, as the configuration file says them; undefined where the server asks nobody. */
  readonly may: readonly string[] | undefined;
  /**
   * What tells this start of the server from all others, 32 hex digits, as of the last connection: numbers of messages
   * (`walk`) begin anew when it changes. Undefined where the server does not tell it.
   */
  readonly serverStart: string | undefined;

  /**
   * Adds a handler for the topics that match one of the patterns; without patterns, for all topics. It goes to the back
   * of its chain unless the options say otherwise. `*` stands for one token of a topic, `>` at the end for one or more.
   */
  handle<T = any>(patterns: string | readonly string[], options: HandlerOptions, body: Handler<T>): this;
  handle<T = any>(patterns: string | readonly string[], body: Handler<T>): this;
  handle<T = any>(options: HandlerOptions, body: Handler<T>): this;
  handle<T = any>(body: Handler<T>): this;

  /** The handlers of this client, in the order in which they came. */
  readonly links: readonly ServedLink[];

  /**
   * Adds a handler while the client is connected. It serves when the promise is fulfilled, and comes back after a loss. It
   * waits for a connection, as long as `patience` allows. If it fails, it is no handler of this client.
   */
  add<T = any>(patterns: string | readonly string[], options: HandlerOptions, body: Handler<T>): Promise<ServedLink>;
  add<T = any>(patterns: string | readonly string[], body: Handler<T>): Promise<ServedLink>;
  add<T = any>(options: HandlerOptions, body: Handler<T>): Promise<ServedLink>;
  add<T = any>(body: Handler<T>): Promise<ServedLink>;

  /** Adds a subscriber: it is called with one event after the other. The next event waits for its promise. */
  subscriber(
    patterns: string | readonly string[],
    body: (event: Event) => unknown,
    options?: Pick<SubscribeOptions, 'retained' | 'recover'>,
  ): this;

  /**
   * Connects, and serves until SIGTERM or SIGINT, `drain()` or `close()`. On a signal it drains and returns; a second
   * signal closes at once. It waits for a server that is not there yet. It also returns when other clients have
   * taken the last of its handlers and it has no subscriber. Throws `Refused` where the server refuses the name or a handler.
   */
  run(): Promise<void>;

  /**
   * Connects, inserts the handlers and subscribes. Then it goes on in the background until the client is closed. Throws
   * `Unreachable` where the first connection cannot be made, `Refused` where the server refuses the name or a handler.
   */
  connect(): Promise<this>;

  /**
   * Sends a message and waits for its result, whatever it is. The message also waits while there is no connection, and
   * while the server does not read. Throws `ConnectionLost` where the connection is lost while the message is open (it
   * may have been handled), `Unreachable` where there is no connection for as long as `patience` allows, `NoAnswer`
   * two seconds after its time, `BacklogFull` where too many bytes wait, `Refused` where the server refuses it, `BadValue`
   * where it cannot be written as JSON.
   *
   * @param payload any value that JSON can write; a `Json` is sent byte for byte; undefined is no payload
   */
  send<T = any>(topic: string, payload?: unknown, options?: SendOptions): Promise<Result<T>>;
  /** Sends a message that the server keeps on disk until it has an end, and waits for its result, which may come days later. */
  send<T = any>(
    topic: string, payload: unknown, options: SendDurableOptions & { durable: true },
  ): Promise<Result<T>>;

  /**
   * Sends a message that the server keeps, and waits until it is on disk. From then on it ends exactly once, whatever happens
   * to the server, to this program or to the connection. Throws `Refused` where it is not kept (`no_store`, `not_declared`,
   * `store_failed`, `store_full`, `once_mismatch`), `NoAnswer` where it may be kept.
   */
  sendDurable<T = any>(topic: string, payload?: unknown, options?: SendDurableOptions): Promise<Accepted<T>>;

  /**
   * Where a durable message is, by its name on the server or by the name that this identity gave it. Throws `Refused` with
   * `no_such_message` if it has ended, or one may not know.
   */
  stored(name: string | { once: string }): Promise<Stored>;

  /**
   * The dead letters of a chain (`main`), the oldest first, without their payloads. What is accepted after the loop begins is
   * left out, so a loop that sends each of them again ends.
   */
  dead(chain?: string, options?: DeadOptions): AsyncGenerator<DeadLetter, void, void>;

  /** One dead letter, with its payload. */
  deadLetter(name: string): Promise<DeadLetter>;

  /** Makes a new message of a dead letter, perhaps with another payload. Returns its name. */
  resend(name: string, payload?: unknown): Promise<string>;

  /** Ends a dead letter. */
  discard(name: string): Promise<void>;

  /** Tells every link at once and waits for no verdicts. Returns how many were told. Throws as `send` does. */
  notify(topic: string, payload?: unknown, options?: NotifyOptions): Promise<number>;

  /**
   * Broadcasts to all subscribers. Returns the number of connections for which the event was queued. Throws as `send`
   * does.
   */
  broadcast(topic: string, payload?: unknown, options?: BroadcastOptions): Promise<number>;
  /** Broadcasts, but the broadcast walks a chain first, and is published after its last link. */
  broadcast(topic: string, payload: unknown, options: WalkedBroadcastOptions): Promise<Result>;

  /**
   * The events of the topics that match one of the patterns, from now on, until the loop over them ends or the client
   * is closed. A loop that is too slow misses events, and is told how many (`event.missed`). The last parameter may say
   * what it wants of what the server keeps.
   */
  subscribe(...patterns: (string | readonly string[] | SubscribeOptions)[]): Promise<Subscription>;

  /** What the numbers of kept events belong to: another one after each start of the server. Undefined without them. */
  get epoch(): string | undefined;

  /**
   * The traces of walks that have ended, as events of the topic `$baton.trace`. They come on a connection of their own,
   * which is made again when it is lost, and closed with the subscription or the client. Throws as `send` does.
   */
  traces(options?: TraceOptions): Promise<Subscription>;

  /**
   * Any request, with the names of the protocol for its members: `request('inspect', { chain: 'main' })`. Returns the
   * reply of the server, with its `line`. Throws as `send` does.
   */
  request(op: string, members?: Record<string, unknown>): Promise<Reply>;

  /**
   * The replies to a request that is answered in pages, from the first to the last. The next page is asked for when the
   * loop wants it. Throws as `request` does.
   */
  pages(op: string, members?: Record<string, unknown>): AsyncGenerator<Reply, void, void>;

  /** Removes the links, finishes what is open, and closes. It throws nothing. */
  drain(): Promise<void>;

  /** Closes at once. Open requests throw `Closed`. */
  close(): Promise<void>;

  /** Waits until the client is closed. Throws if the program did not close it. */
  closed(): Promise<void>;

  /** The same as `drain`: at the end of an `await using`, in a Node that has it. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The reply of the server to any request. */
export interface Reply {
  [member: string]: any;
  /** The whole line that the server sent. */
  readonly line: string;
}

/** What a handler answers: made by `handled`, `continue_`, `reject` and `failed`. */
export class Verdict {
  private constructor();
  private readonly isVerdict: true;
}

/** The message is taken care of, and its walk ends. A value is the answer to the sender. Throws `BadValue`. */
export function handled(value?: unknown, message?: string): Verdict;
/** The next link is asked. With a value, later links see it in place of the payload. Throws `BadValue`. */
export function continue_(value?: unknown, message?: string): Verdict;
/** The message is refused: its walk ends, and the sender is told why. The code is a string or a whole number. */
export function reject(message?: string, code?: string | number): Verdict;
/** The handler could not do it: the failure policy of the link decides. Throwing does the same. */
export function failed(message?: string): Verdict;

/**
 * JSON that is sent byte for byte: `new Json("12345678901234567890")`. It may stand wherever a value may, also inside
 * of other values. Line breaks between its tokens become spaces. Throws `BadValue` where the text is not a JSON value.
 */
export class Json {
  constructor(text: string);
  /** The value as JSON text. */
  readonly text: string;
  toString(): string;
  toJSON(): unknown;
}

/** What a handler is offered. */
export class Message<T = any> {
  private constructor();
  /** The topic. */
  readonly topic: string;
  /** What was sent, parsed, as earlier links have rewritten it; undefined where nothing was sent. */
  readonly payload: T;
  /** Whether there is a payload; the null of JSON is one. */
  readonly hasPayload: boolean;
  /** The JSON of the payload, byte for byte: parsing rounds large numbers. */
  readonly payloadText: string | undefined;
  /** What the sender gave beside the payload. */
  readonly meta: any;
  /** The JSON of `meta`, byte for byte. */
  readonly metaText: string | undefined;
  /** The key by which messages go one at a time. */
  readonly key: string | undefined;
  /** The sender: the name of a client, or `#` and the number of its connection. */
  readonly from: string;
  /** The chain. */
  readonly chain: string;
  /** The link in that chain to which this offer is made. */
  readonly handler: string;
  /** The message's number on the server. A message that is offered again has the same. */
  readonly walk: number;
  /** The offer's number on its connection; undefined for a notice. */
  readonly id: number | undefined;
  /** How many milliseconds the offer stays open; undefined for a notice. */
  readonly timeout: number | undefined;
  /** Whether the message may have reached a handler of this link before; a durable one, any handler. */
  readonly again: boolean;
  /** The name of a durable message: who must not do a thing twice remembers it. */
  readonly stored: string | undefined;
  /** Which try of a durable message it is, from 1. */
  readonly try: number | undefined;
  /** The name of the dead letter that somebody has sent again as this message. */
  readonly resent: string | undefined;
  /** Whether this is a copy for a handler that only watches. */
  readonly shadow: boolean;
  /** How many messages led to this one. What the handler sends says one more. */
  readonly within: number;
  /** In which trace it is (W3C Trace Context): what the server says, or else the sender in `meta`. */
  readonly traceparent: string | undefined;
  /** Whether it is not known if the message fits the handler's `when`. What permits answers `reject` or `continue` then. */
  readonly doubtful: boolean;
  /** Whether other links of a stage are asked at once: `handled` and another payload are failures there. */
  readonly together: boolean;
  /** Whether it is a broadcast that walks a chain first. */
  readonly forBroadcast: boolean;
  /** Whether it is a notice: no verdict is expected. */
  readonly notice: boolean;
  /** The whole line that the server sent. */
  readonly line: string;
  /**
   * Tells the server that the work goes on. The time of the offer starts again, but does not pass the deadline of the
   * message.
   */
  working(): void;
}

/** What a subscriber gets of a broadcast. */
export class Event {
  private constructor();
  /** The topic. */
  readonly topic: string;
  /** What was broadcast, parsed; undefined where nothing was. */
  readonly payload: any;
  /** The JSON of the payload, byte for byte. */
  readonly payloadText: string | undefined;
  /** What the sender gave beside the payload. */
  readonly meta: any;
  /** The JSON of `meta`, byte for byte. */
  readonly metaText: string | undefined;
  /** The sender; `$baton` is the server. */
  readonly from: string;
  /** How many messages led to it. What the subscriber sends says one more. */
  readonly within: number;
  /** In which trace it is (W3C Trace Context): what the sender says in `meta`. */
  readonly traceparent: string | undefined;
  /** How many events were lost just before this one, because this program or its connection was too slow. */
  readonly missed: number;
  /**
   * What is gone for good just before this one: kept events that the server could not give again. `count` says how many,
   * or `atMost`; without both it is not known. Undefined where nothing is gone.
   */
  readonly gone: { readonly count?: number; readonly atMost?: number } | undefined;
  /** The number of a kept event; undefined where events of its topic are not kept. */
  readonly seq: number | undefined;
  /** Whether it is the value of its topic, which was published before this program subscribed. */
  readonly isRetained: boolean;
  /** How many traces the server left out before this one, because of `perSecond` (see `Client.traces`). */
  readonly leftOut: number;
  /** The whole line that the server sent. */
  readonly line: string;
}

/** The events of some topics, one after the other: `for await (const event of subscription)`. */
export class Subscription implements AsyncIterableIterator<Event> {
  private constructor();
  /** The patterns of its topics. */
  readonly patterns: readonly string[];
  /** Waits for the next event. It is `done` when the subscription is closed and no event is left. */
  next(): Promise<IteratorResult<Event, undefined>>;
  /** Ends the subscription; events that were not taken are dropped. */
  return(value?: any): Promise<IteratorResult<Event, any>>;
  /** Ends the subscription; events that were not taken are dropped. */
  close(): void;
  [Symbol.asyncIterator](): this;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What became of a message, or of a broadcast that walked a chain first. */
export class Result<T = any> {
  private constructor();
  /** How its walk ended. */
  readonly status: Status;
  /** The handler at which it ended. */
  readonly by: string | undefined;
  /** The answer of the handler, parsed, or the payload of an unhandled message as links have rewritten it. */
  readonly payload: T;
  /** The JSON of the payload, byte for byte. */
  readonly payloadText: string | undefined;
  /** Why the message is `rejected` or `failed`, in the words of the handler or the server. */
  readonly message: string | undefined;
  /** The code of a rejection. */
  readonly code: string | number | undefined;
  /** Why it is `failed`. */
  readonly cause: Cause | undefined;
  /** In mode `all`, the answer of each link that handled it. */
  readonly results: readonly Answer[];
  /** The links that failed the message before its end, in their order; at most 8. */
  readonly failures: readonly Failure[];
  /** Whether there were more failures than are listed. */
  readonly moreFailures: boolean;
  /** How many offers were made. */
  readonly hops: number;
  /** The message's number on the server. */
  readonly walk: number;
  /** The number of connections for which the event of a broadcast was queued. */
  readonly delivered: number | undefined;
  /** Whether an offer had to be repeated. */
  readonly again: boolean;
  /** The name of a durable message. */
  readonly stored: string | undefined;
  /** The last try of a durable message, from 1; 0 where it had none. */
  readonly try: number | undefined;
  /** Whether it is a dead letter now: the server keeps it, and tries it no more. */
  readonly dead: boolean;
  /** Whether `results` lacks payloads, because the line would have been too long. */
  readonly truncated: boolean;
  /** The way of the message, hop by hop, where it was asked for. */
  readonly trace: readonly { [member: string]: any }[] | undefined;
  /** The whole line that the server sent. */
  readonly line: string;
  /** The payload of a message that was handled. Throws `NotHandled` where it was not. */
  value(): T;
}

/** A durable message that the server keeps until it has an end, whatever happens. */
export class Accepted<T = any> {
  private constructor();
  /** The name that the server gave it. */
  readonly stored: string;
  /** The name that the program gave it, or this library. */
  readonly once: string;
  /** Whether the server had it already, under the same `once`. */
  readonly known: boolean;
  /** The whole line that the server sent. */
  readonly line: string;
  /**
   * Waits for its result, for as long as it takes. A signal ends the wait, and not the message. Throws `Closed` when the client
   * ends, and `ConnectionLost` when there was no connection for half of the time for which the server remembers
   * names, which is half an hour as a rule: the server goes on with the message.
   */
  result(options?: { signal?: AbortSignal }): Promise<Result<T>>;
}

/** Where a durable message is that has not ended. */
export class Stored {
  private constructor();
  /** Its name. */
  readonly stored: string;
  /** The chain down which it goes. */
  readonly chain: string;
  /** `delayed`, `waiting`, `under_way`, `ending` or `dead`; a later server may know others. */
  readonly state: string;
  /** How many attempts have counted. */
  readonly tries: number;
  /** How the last attempt ended. */
  readonly cause: string | undefined;
  /** Whether it waits because its last attempt did not count: a link that it needs was not there. */
  readonly uncounted: boolean;
  /** Whether it waits for the configuration file to declare its chain again. */
  readonly undeclared: boolean;
  /** In how many milliseconds the next attempt comes, where a time is set. */
  readonly nextTry: number | undefined;
  /** The whole line that the server sent. */
  readonly line: string;
}

/** A durable message that no attempt has brought to an end. Its payload is there if it was asked for alone. */
export class DeadLetter {
  private constructor();
  /** Its name. */
  readonly stored: string;
  /** The topic. */
  readonly topic: string;
  /** The chain down which it went. */
  readonly chain: string;
  /** The key by which messages go one at a time. */
  readonly key: string | undefined;
  /** How many attempts have counted. */
  readonly tries: number;
  /** How many milliseconds ago it was accepted. */
  readonly age: number;
  /** What was sent, parsed. */
  readonly payload: any;
  /** The JSON of the payload, byte for byte. */
  readonly payloadText: string | undefined;
  /** What the sender gave beside the payload. */
  readonly meta: any;
  /** The JSON of `meta`, byte for byte. */
  readonly metaText: string | undefined;
  /** How its last attempt ended, without the payload. */
  readonly result: Result;
  /** Its text as the server sent it. */
  readonly line: string;
}

/** One link that failed a message which went on behind it. */
export interface Failure {
  /** The handler. */
  readonly by: string;
  /** The chain. */
  readonly chain: string;
  /** Why it failed. */
  readonly cause: LinkCause;
  /** What the handler said, if it said something. */
  readonly message: string | undefined;
}

/** One answer of mode `all`. */
export interface Answer {
  /** The handler. */
  readonly by: string;
  /** What it gave, parsed. */
  readonly payload: any;
  /** The JSON of the payload, byte for byte. */
  readonly payloadText: string | undefined;
}

/**
 * What can go wrong between this program and the server. The result of a message is not an error (`Result`). `code` is
 * for programs, `message` for people.
 */
export class BatonError extends Error {
  constructor(code: string, message: string);
  /**
   * A code of the server, or one of this library: `unreachable`, `connection_lost`, `closed`, `no_answer`, `backlog_full`,
   * `not_a_guard`, `not_handled`, `bad_token`, `bad_tls`, `bad_value`; `line_too_long` for what the server would not
   * take; `lapsed` or `cancelled` as the reason of a signal.
   */
  readonly code: string;
}
/** No connection could be made (`unreachable`). */
export class Unreachable extends BatonError {
  constructor(why: string);
}
/** The connection was lost with the request open (`connection_lost`). The server may have carried it out. */
export class ConnectionLost extends BatonError {
  constructor(why: string);
}
/** The deadline of the call is over (`no_answer`). */
export class NoAnswer extends BatonError {
  constructor(why: string, sent: 'no' | 'maybe');
  /** `no`: the request was never written. `maybe`: the server may have carried it out. */
  readonly sent: 'no' | 'maybe';
}
/** The requests that wait take as many bytes as they may (`backlog_full`). */
export class BacklogFull extends BatonError {
  constructor(why: string);
}
/** The configuration file makes a guard weaker, so that it guards nothing (`not_a_guard`). */
export class NotAGuard extends BatonError {
  constructor(why: string);
}
/** The client was closed by this program, or never connected (`closed`). */
export class Closed extends BatonError {
  constructor(message?: string);
}
/** The server refused a request: its code, and what it says. */
export class Refused extends BatonError {}
/** The message was not handled, and its result says what became of it (`not_handled`). */
export class NotHandled extends BatonError {
  constructor(result: Result);
  /** What became of the message. */
  readonly result: Result;
}
/** The token cannot be used, or would be read by others on its way (`bad_token`). The token is never told. */
export class BadToken extends BatonError {
  constructor(message: string);
}
/** The files or the pins for encryption are not right (`bad_tls`). */
export class BadTLS extends BatonError {
  constructor(message: string);
}
/** A value that cannot be written as JSON, or a text that is not JSON (`bad_value`). */
export class BadValue extends BatonError {
  constructor(message: string);
}

/**
 * The trace of what is handled now, and the span that led to it, as W3C Trace Context writes them. Undefined where there is none,
 * and outside of handlers and subscribers.
 */
export function traceparent(): string | undefined;
