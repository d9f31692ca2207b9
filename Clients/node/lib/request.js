/** One request, from the call to its outcome. */
export class Request {
  /** Whether the server keeps it, for sure: only a durable message. */
  isAccepted = false;
  /** Why the connection was lost to which a durable message was written. */
  lost = undefined;

  constructor(number, line, kind, milliseconds) {
    this.number = number;
    this.line = line;
    /** Bytes that it takes while it waits, and that count while it is open; about. */
    this.size = line.text.length + 24;
    /** Whether the server has it open until its end, so that it counts there, and can be cancelled. */
    this.isMessage = kind.isMessage === true;
    this.isDurable = false;
    this.key = kind.key;
    this.accepted = kind.accepted;
    this.read = kind.read;
    this.milliseconds = milliseconds;
    /** The `id` with which it was written; 0 while it waits. */
    this.id = 0;
    /** Whether it waits to be written; when it is given up if there is no connection, by `performance.now()`. */
    this.isWaiting = false;
    this.until = 0;
    /** What the server said when it did not take it in. */
    this.busy = undefined;
    /** Whether it waits because of that, or because it is to be sent again. */
    this.waitsAgain = false;
    /** Whether it is open, and nobody waits for its reply any more. */
    this.isDropped = false;
    this.hasEnded = false;
    /** Ends the watch over the signal of the call. */
    this.unwatch = undefined;
    // Where `Deadlines` has it.
    this.group = this.earlier = this.later = null;
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  /** It has its outcome: a line, or what its caller catches. */
  finish(error, line) {
    this.hasEnded = true;
    if (this.unwatch !== undefined) this.unwatch();
    if (line === undefined) refuse(this, error);
    else answer(this, line);
  }
}

/**
 * A durable message. It has two outcomes: whether it is on disk, which its promise tells, and its result, for which any
 * number of calls may wait. `hasEnded` is about the one that is next.
 */
export class DurableRequest extends Request {
  /** What the server calls it. */
  stored = '';
  /** The calls that wait for its result. */
  waits = new Set();
  /** Until when it may be sent again once it was accepted, by `performance.now()`; 0 before its connection was lost. */
  againUntil = 0;
  /** Whether its connection was lost when nobody waited for its result. */
  isApart = false;
  /** What became of it. */
  result = undefined;

  constructor(number, line, kind, milliseconds) {
    super(number, line, kind, milliseconds);
    this.isDurable = true;
  }

  /** The server keeps it. It may say so several times. */
  accept(line) {
    this.againUntil = 0;
    if (this.isAccepted) return;
    super.finish(undefined, line);
    this.isAccepted = true;
    this.hasEnded = false;
    this.stored = line.string('stored');
  }

  finish(error, line) {
    if (!this.isAccepted) return super.finish(error, line);
    this.hasEnded = true;
    this.result = { error, line };
    const waits = [...this.waits];
    this.waits.clear();
    for (const wait of waits) wait.settle();
  }

  /** A call that waits for the result, until it is there, or the call is called off. `left` is called then. */
  wait(read, signal, left) {
    let settle;
    const wait = {};
    const promise = new Promise((resolve, reject) => {
      settle = () => {
        const { error, line } = this.result;
        answer({ resolve, reject, promise, read }, line, error);
      };
      wait.callOff = () => {
        this.waits.delete(wait);
        reject(signal.reason);
        left();
      };
    });
    quiet(promise);
    wait.settle = () => {
      signal?.removeEventListener('abort', wait.callOff);
      settle();
    };
    if (this.result !== undefined) {
      settle();
    } else {
      this.waits.add(wait);
      signal?.addEventListener('abort', wait.callOff, { once: true });
    }
    return promise;
  }
}

function answer(request, line, error) {
  if (line === undefined) return refuse(request, error);
  const { read } = request;
  if (read === undefined) return request.resolve(line);
  try {
    request.resolve(read(line));
  } catch (thrown) {
    refuse(request, thrown);
  }
}

function refuse(request, error) {
  if (request.promise !== undefined) quiet(request.promise);
  request.reject(error);
}

/** A promise that nobody has to wait for. If it rejects, a program that ignores it goes on. */
export function quiet(promise) {
  promise.catch(() => {});
  return promise;
}
