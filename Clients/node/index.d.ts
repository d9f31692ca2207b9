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
   * Where the server is: `HOST:PORT` (`[::1]:PORT`) or `unix:PATH`. Left out, what the environment's `BATON_SERVER`
   * says, or else `127.0.0.1:22866`.
   */
  at?: string;
  /** What others see: 1 to 64 of `A-Z a-z 0-9 _ . -`. */
  name?: string;
  /**
   * Milliseconds of silence after which the server asks whether this program is still there; 100 at least, 15000 where
   * it is left out. A server that is silent for twice as long is asked, too, and given up after as long again.
   */
  heartbeat?: number;
  /** Milliseconds for which a request waits where there is no connection just now; 30000 where it is left out. */
  patience?: number;
  /** Takes lines for people about connections that come and go. */
  report?: (line: string) => void;
}

/** What can go wrong with a message at a link. */
export type Cause = 'timeout' | 'disconnect' | 'failed' | 'overload' | 'breaker';

/** Whether the next link is asked, or the sender gets `failed`. */
export type FailurePolicy = 'continue' | 'stop';

/** Where a handler stands in its chain, and how it is asked. At most one of `at`, `before`, `after` and `rank`. */
export interface HandlerOptions {
  /** The link's name, its own within the chain. Left out, the function's. */
  name?: string;
  /** The chain; `main` where it is left out. */
  chain?: string;
  /** The front of the chain, or its back, where no place is said. A handler that comes back takes its old place. */
  at?: 'front' | 'back';
  /** The link that it stands before. */
  before?: string;
  /** The link that it stands behind. */
  after?: string;
  /** Links are ordered by rank, lower first. */
  rank?: number | Json;
  /** Milliseconds that one offer may take; left out, a fair share of the message's time. */
  timeout?: number;
  /** Offers open at once; 256 where it is left out. */
  window?: number;
  /** What a failure means for a message, for all causes or for each; `continue` where it is left out. */
  onFailure?: FailurePolicy | { [cause in Cause]?: FailurePolicy };
  /** Whether several programs serve the link as replicas. */
  share?: boolean;
  /** Milliseconds for which the place is kept while nobody serves it. */
  hold?: number;
  /** Whether the place is never given up by a lost connection. */
  required?: boolean;
  /** Whether it only gets copies, and its verdicts change nothing. */
  shadow?: boolean;
}

/** What a handler gets beside the message. */
export interface HandlerContext {
  /** Aborted when the offer has lapsed or the connection is lost: nobody waits for the verdict any more. */
  readonly signal: AbortSignal;
}

/** Finds the verdict on a message. Throwing is `failed`, with the error's message. */
export type Handler = (message: Message, context: HandlerContext) => Verdict | PromiseLike<Verdict>;

/** What goes with a message. */
export interface SendOptions {
  /** Goes to every handler beside the payload, and none can change it. */
  meta?: unknown;
  /** The chain that it walks; `main` where it is left out. */
  chain?: string;
  /** `first` stops at the first link that handles it; `all` asks every link. */
  mode?: 'first' | 'all';
  /** Messages of the same chain and key walk one at a time. */
  key?: string;
  /** One deadline for the whole walk, in milliseconds; 30000 where it is left out. */
  timeout?: number;
  /** Whether the result tells the walk hop by hop. */
  trace?: boolean;
}

/** What goes with a message that all links are told. */
export interface NotifyOptions {
  /** Goes beside the payload. */
  meta?: unknown;
  /** The chain whose links are told; `main` where it is left out. */
  chain?: string;
}

/** What goes with a broadcast. */
export interface BroadcastOptions {
  /** Goes beside the payload. */
  meta?: unknown;
  /** False leaves this client out. */
  echo?: boolean;
}

/** What goes with a broadcast that walks a chain first. */
export interface WalkedBroadcastOptions extends BroadcastOptions {
  /** The chain that it walks first. It is published when every link has left it, as they rewrote it. */
  via: string;
  /** Broadcasts of the same chain and key walk one at a time. */
  key?: string;
  /** One deadline for the whole walk, in milliseconds. */
  timeout?: number;
  /** Whether the result tells the walk hop by hop. */
  trace?: boolean;
}

/**
 * A program's part in Baton: its name, its handlers and subscribers. Nothing happens until `run()` or `connect()`; from
 * then on it sends, too. A connection that is lost is made again, with all that was there.
 *
 *     const client = new Client({ name: 'porter' });
 *     client.handle('door.*', { name: 'porter' }, (message) => handled('opened'));
 *     await client.run();
 *
 * What fails between this program and the server is a `BatonError`; what cannot be meant at all, an option that is not
 * there, a `TypeError`. Promises of messages that nobody waits for never end the program.
 */
export class Client {
  constructor(options?: ClientOptions);

  /** Where the server is. */
  readonly at: string;

  /**
   * Adds a handler for the topics that match the patterns (all, where they are left out), at the back of a chain unless
   * the options say otherwise. `*` stands for one word of a topic, `>` at the end for one or more.
   */
  handle(patterns: string | readonly string[], options: HandlerOptions, body: Handler): this;
  handle(patterns: string | readonly string[], body: Handler): this;
  handle(options: HandlerOptions, body: Handler): this;
  handle(body: Handler): this;

  /** Adds a subscriber: it is called with one event after the other, and the next waits for its promise. */
  subscriber(patterns: string | readonly string[], body: (event: Event) => unknown): this;

  /**
   * Connects, as often as it takes, and serves until SIGTERM or SIGINT, `drain()` or `close()`: then it takes its links
   * out, finishes what is open, and returns. A second signal ends it at once. Throws `BatonError` where the server
   * refuses something at the beginning.
   */
  run(): Promise<void>;

  /**
   * Connects, puts everything in, and goes on in the background until the client is closed. Throws `Unreachable` where
   * the first connection cannot be made, `Refused` where the server refuses something.
   */
  connect(): Promise<this>;

  /**
   * Sends a message and waits for its result, whatever became of it. It waits, too, while there is no connection or the
   * server does not read. Throws `ConnectionLost` where the connection is lost with the message open (it may have been
   * handled), `Unreachable` where there is no connection for longer than `patience`, `Refused` where the server does
   * not take it, `BadValue` where JSON cannot say it.
   *
   * @param payload any value that JSON can say; a `Json` goes byte for byte; undefined is none, null is JSON's null
   */
  send(topic: string, payload?: unknown, options?: SendOptions): Promise<Result>;

  /** Tells every link at once and waits for no verdicts; gives how many were told. Throws as `send` does. */
  notify(topic: string, payload?: unknown, options?: NotifyOptions): Promise<number>;

  /** Broadcasts to everyone who has subscribed; gives for how many the event was queued. Throws as `send` does. */
  broadcast(topic: string, payload?: unknown, options?: BroadcastOptions): Promise<number>;
  /** Sends a broadcast down a chain first: it is published when every link has left it. */
  broadcast(topic: string, payload: unknown, options: WalkedBroadcastOptions): Promise<Result>;

  /**
   * The events of the topics that match the patterns, from now on, until the loop over them is left or the client is
   * closed. Who takes them too slowly loses some and is told how many (`event.missed`).
   */
  subscribe(...patterns: (string | readonly string[])[]): Promise<Subscription>;

  /**
   * Any request, with members as the server calls them: `request('inspect', { chain: 'main' })`. Gives the server's
   * reply; its `line` is how it came. Throws as `send` does.
   */
  request(op: string, members?: Record<string, unknown>): Promise<Reply>;

  /** Takes the links out, finishes what is open, waits for what was asked, and closes. It throws nothing. */
  drain(): Promise<void>;

  /** Closes at once; what is open is told `closed`. */
  close(): Promise<void>;

  /** Waits until the client is closed. Throws where that was not by this program's own wish. */
  closed(): Promise<void>;

  /** The same as `drain`: at the end of an `await using`, in a Node that has it. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The server's reply to any request. */
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

/** Taken care of, with an answer where one is given; the walk ends here. Throws `BadValue`. */
export function handled(value?: unknown): Verdict;
/** Not mine: the next link is asked. With a value, later links see that one instead. Throws `BadValue`. */
export function continue_(value?: unknown): Verdict;
/** A final no: the walk ends, and the sender is told why. The code is a string or a whole number. */
export function reject(message?: string, code?: string | number): Verdict;
/** I could not; the link's failure policy decides. The same as throwing. */
export function failed(message?: string): Verdict;

/**
 * JSON that is sent byte for byte, wherever a value goes, also inside of others: `new Json("12345678901234567890")`.
 * Line breaks between its tokens become spaces. Throws `BadValue` where the text is no JSON value.
 */
export class Json {
  constructor(text: string);
  /** The value as it is spelled. */
  readonly text: string;
  toString(): string;
  toJSON(): unknown;
}

/** What a handler is offered. */
export class Message {
  private constructor();
  /** The topic. */
  readonly topic: string;
  /** What was sent, parsed, as later links see it; undefined where nothing was, null where JSON's null was. */
  readonly payload: any;
  /** Whether something was sent, be it null. */
  readonly hasPayload: boolean;
  /** The payload's JSON as it came, byte for byte: parsing rounds large numbers. */
  readonly payloadText: string | undefined;
  /** What stands beside it on the whole way. */
  readonly meta: any;
  /** The JSON of `meta` as it came. */
  readonly metaText: string | undefined;
  /** The key by which messages go one at a time. */
  readonly key: string | undefined;
  /** Who sent it: the name it gave, or `#` and the number of its connection. */
  readonly from: string;
  /** The chain. */
  readonly chain: string;
  /** The link in it that this offer is for. */
  readonly handler: string;
  /** The message's number on the server. A message that is offered again has the same. */
  readonly walk: number;
  /** The offer's number on its connection; undefined for a notice. */
  readonly id: number | undefined;
  /** Milliseconds for which the offer is open; undefined for a notice. */
  readonly timeout: number | undefined;
  /** Whether the message may have reached a handler of this link before. */
  readonly again: boolean;
  /** Whether this is a copy for a handler that only looks on. */
  readonly shadow: boolean;
  /** Whether it is a broadcast that walks a chain first. */
  readonly forBroadcast: boolean;
  /** Whether it is a notice: no verdict is expected. */
  readonly notice: boolean;
  /** The whole line that the server sent. */
  readonly line: string;
  /** Says that work goes on: the offer's clock starts anew, never past the message's deadline. */
  working(): void;
}

/** What a subscriber gets of a broadcast. */
export class Event {
  private constructor();
  /** The topic. */
  readonly topic: string;
  /** What was broadcast, parsed; undefined where nothing was. */
  readonly payload: any;
  /** The payload's JSON as it came, byte for byte. */
  readonly payloadText: string | undefined;
  /** What stands beside it. */
  readonly meta: any;
  /** The JSON of `meta` as it came. */
  readonly metaText: string | undefined;
  /** Who broadcast it; `$baton` is the server. */
  readonly from: string;
  /** How many events were lost just before this one, since this program or its connection was too slow. */
  readonly missed: number;
  /** The whole line that the server sent. */
  readonly line: string;
}

/** The events of some topics, one after the other: `for await (const event of subscription)`. */
export class Subscription implements AsyncIterableIterator<Event> {
  private constructor();
  /** What was subscribed to. */
  readonly patterns: readonly string[];
  /** The next event; waits for it. `done` once the subscription is closed and nothing is left. */
  next(): Promise<IteratorResult<Event, undefined>>;
  /** Ends the subscription; events that were not taken are dropped. */
  return(value?: any): Promise<IteratorResult<Event, any>>;
  /** Ends the subscription; events that were not taken are dropped. */
  close(): void;
  [Symbol.asyncIterator](): this;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What became of a message, or of a broadcast that walked a chain first. */
export class Result {
  private constructor();
  /** How its walk ended. */
  readonly status: 'handled' | 'unhandled' | 'published' | 'rejected' | 'failed' | 'timeout';
  /** The handler that it ended at. */
  readonly by: string | undefined;
  /** What the handler gave, parsed, or what links made of an unhandled message's payload. */
  readonly payload: any;
  /** The payload's JSON as it came, byte for byte. */
  readonly payloadText: string | undefined;
  /** What the handler said of a `rejected` or `failed` message, or the server. */
  readonly message: string | undefined;
  /** The code of a rejection. */
  readonly code: string | number | undefined;
  /** Why a link failed. */
  readonly cause: Cause | undefined;
  /** What every link answered that handled it, in mode `all`. */
  readonly results: readonly Answer[];
  /** How many offers were made. */
  readonly hops: number;
  /** The message's number on the server. */
  readonly walk: number;
  /** For how many the event of a broadcast was queued. */
  readonly delivered: number | undefined;
  /** Whether an offer had to be repeated. */
  readonly again: boolean;
  /** Whether payloads were left out of `results`, since the line would have become too long. */
  readonly truncated: boolean;
  /** The way, hop by hop, where it was asked for. */
  readonly trace: readonly { [member: string]: any }[] | undefined;
  /** The whole line that the server sent. */
  readonly line: string;
  /** The payload of a message that was handled. Throws `NotHandled` where it was not. */
  value(): any;
}

/** One answer of mode `all`. */
export interface Answer {
  /** The handler. */
  readonly by: string;
  /** What it gave, parsed. */
  readonly payload: any;
  /** The payload's JSON as it came, byte for byte. */
  readonly payloadText: string | undefined;
}

/**
 * What can go wrong between this program and the server. Results of messages are no errors (`Result`). Programs switch
 * on `code`, people read `message`.
 */
export class BatonError extends Error {
  constructor(code: string, message: string);
  /**
   * The server's code, or one of this library's: `unreachable`, `connection_lost`, `closed`, `not_handled`,
   * `bad_value`; `line_too_long` for what the server would not take; `lapsed` as a signal's reason.
   */
  readonly code: string;
}
/** No connection could be made (`unreachable`). */
export class Unreachable extends BatonError {
  constructor(why: string);
}
/** The connection was lost with the request open (`connection_lost`): whether it was carried out is not known. */
export class ConnectionLost extends BatonError {
  constructor(why: string);
}
/** The client was closed by this program, or never connected (`closed`). */
export class Closed extends BatonError {
  constructor(message?: string);
}
/** The server refused a request: its code, and what it says. */
export class Refused extends BatonError {}
/** The message had a result, but another than was asked for (`not_handled`). */
export class NotHandled extends BatonError {
  constructor(result: Result);
  /** What became of the message. */
  readonly result: Result;
}
/** A value that cannot be said in JSON, or a text that is no JSON (`bad_value`). */
export class BadValue extends BatonError {
  constructor(message: string);
}
