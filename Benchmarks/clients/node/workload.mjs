// What every client here does: as many messages as it is told, 256 in flight, and its processor time for each.

export const inFlight = 256;
export const topic = 'bench.post';
export const answer = { seen: true, by: 'bench' };

/** A payload. */
function post(number) {
  return { id: number, author: 'Ann Lee', text: 'What the post says, in some words.', tags: ['a', 'b'], at: 1.5 };
}

/** Counts messages. The first fifth of them is not measured. */
class Clock {
  seen = 0;
  #begun;
  #count;
  #start;
  #wall;

  constructor(count) {
    this.#count = count;
    this.#begun = Math.floor(count / 5);
  }

  /** One more message is done. Returns whether it was the last. */
  tick() {
    this.seen += 1;
    if (this.seen === this.#begun) {
      this.#start = process.cpuUsage();
      this.#wall = performance.now();
    }
    return this.seen >= this.#count;
  }

  /** Prints the figures. */
  tell() {
    const { user, system } = process.cpuUsage(this.#start);
    const measured = this.seen - this.#begun;
    const took = performance.now() - this.#wall;
    console.log(JSON.stringify({ us: (user + system) / measured, per_second: (measured / took) * 1000 }));
  }
}

/** Calls `send(payload)` so many times, in as many loops as messages are in flight. */
async function sendAll(send, count) {
  const clock = new Clock(count);
  const work = async () => {
    while (clock.seen + inFlight <= count) {
      await send(post(clock.seen));
      clock.tick();
    }
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  clock.tell();
}

/** Serves until so many messages were taken. `serve` gets the function to call for each. */
async function handleAll(serve, count) {
  const clock = new Clock(count);
  await new Promise((resolve, reject) => {
    const tick = () => {
      if (clock.tick()) resolve();
    };
    serve(tick).then(() => console.log('ready'), reject);
  });
  clock.tell();
}

/** `sender COUNT` or `handler COUNT`. */
export async function main(sender, handler) {
  const [what, count] = process.argv.slice(2);
  const isSender = what === 'sender';
  await (isSender ? sendAll(await sender(), Number(count)) : handleAll(handler, Number(count)));
  process.exit(0);
}
