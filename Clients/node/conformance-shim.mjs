// Lets the conformance cases drive this library: commands are lines of JSON on standard input, reports lines of JSON on
// standard output. Payloads go through byte for byte.
import { AsyncResource } from 'node:async_hooks';
import { createInterface } from 'node:readline';
import { Client, continue_, failed, handled, Json, reject } from './index.js';
import { elements, member } from './lib/parsing.js';

let client;
let calls = 0;
/** Handlers that wait for their commands, by the numbers of their calls. */
const asked = new Map();
/** What calls can be called off by, by their names; and the links that were added. */
const controllers = new Map();
const links = new Map();
/** Durable messages that were accepted, by the names of their calls. */
const accepted = new Map();
/** What was asked for under a name; it may still be under way. */
const subscriptions = new Map();

/** Writes a report; members that are undefined or false are left out, and `raw` ones are JSON already. */
function report(members, raw = {}) {
  let text = JSON.stringify(members, (_, value) => (value === false ? undefined : value)).slice(0, -1);
  for (const [name, json] of Object.entries(raw)) {
    if (json !== undefined) text += `${text.length > 1 ? ',' : ''}${JSON.stringify(name)}:${json}`;
  }
  process.stdout.write(`${text}}\n`);
}

/** The JSON of a command's member, as a value to send. Throws what the library does where it would not send it. */
function json(line, name) {
  const text = member(line, name);
  return text === undefined ? undefined : new Json(text);
}

const commands = {
  plan({ at, name, heartbeat_ms, patience_ms, expose_errors, handlers = [], subscribers = [], ...who }, line) {
    const told = (text, error) => report({ told: error === undefined ? text : `${text} ${error.message ?? error}` });
    const reports = who.reports ? { report: told, logError: told } : {};
    client = new Client({
      at, name, heartbeat: heartbeat_ms, patience: patience_ms, exposeErrors: expose_errors,
      token: who.token, tokenFile: who.token_file, plainToken: who.plain_token,
      ca: who.ca, certificate: who.certificate, key: who.key, pins: who.pins,
      maxWaitingBytes: who.max_waiting_bytes, grace: who.grace_ms, again: who.again_ms, attempt: who.attempt_ms, ...reports,
    });
    const texts = elements(member(line, 'handlers') ?? '[]');
    for (const [index, handler] of handlers.entries()) client.handle(...described(handler, texts[index]), handle);
    for (const [index, topics] of subscribers.entries()) {
      client.subscriber(topics, async (event) => {
        tell(index + 1, event);
        if (who.answers !== undefined) await client.broadcast(who.answers);
      });
    }
  },

  connect() {
    client.connect().then(
      ({ identity, may }) => report({ connected: true, identity, may }),
      ({ code, message }) => report({ connect_failed: code, message }),
    );
  },

  run() {
    client.run().then(
      () => report({ ended: true }),
      ({ code, message }) => report({ code, message }, { ended: 'false' }),
    );
  },

  verdict({ offer, verdict, message, code }, line) {
    const verdicts = {
      handled: () => handled(json(line, 'payload'), message),
      continue: () => continue_(json(line, 'payload'), message),
      reject: () => reject(message, code),
      failed: () => failed(message),
      unencodable: () => handled(NaN),
    };
    give(offer, verdicts[verdict]);
  },

  throw({ offer, message }) {
    give(offer, () => {
      throw new Error(message);
    });
  },

  inside({ offer }, line) {
    asked.get(offer)?.inside(() => carryOut(member(line, 'command')));
  },

  working({ offer }) {
    asked.get(offer)?.message.working();
  },

  send(command, line) {
    const { as, topic, durable } = command;
    const options = { ...messageOptions(command, line), durable };
    answer(as, () => client.send(topic, json(line, 'payload'), options), (result) => tellResult(as, result));
  },

  send_durable(command, line) {
    const { as, topic } = command;
    answer(as, () => client.sendDurable(topic, json(line, 'payload'), messageOptions(command, line)), (kept) => {
      accepted.set(as, kept);
      const { stored, once, known } = kept;
      report({ accepted: as, stored, once, known });
    });
  },

  await_result({ as, of }) {
    answer(as, () => accepted.get(of).result({ signal: signalOf(as) }), (result) => tellResult(as, result));
  },

  stored({ as, stored, once }) {
    answer(as, () => client.stored(stored ?? { once }), (found) => {
      const { chain, state, tries, cause, nextTry: next_try_ms } = found;
      const [uncounted, undeclared] = [found.uncounted || undefined, found.undeclared || undefined];
      report({ done: as, stored: found.stored, chain, state, tries, cause, uncounted, undeclared, next_try_ms });
    });
  },

  dead({ as, chain, after, limit }) {
    const begin = async () => {
      for await (const letter of client.dead(chain, { after, limit })) tellLetter(as, letter);
    };
    answer(as, begin, () => report({ done: as }));
  },

  dead_letter({ as, stored }) {
    answer(as, () => client.deadLetter(stored), (letter) => tellLetter(as, letter));
  },

  resend({ as, stored }, line) {
    answer(as, () => client.resend(stored, json(line, 'payload')), (name) => report({ done: as, stored: name }));
  },

  discard({ as, stored }) {
    answer(as, () => client.discard(stored), () => report({ done: as }));
  },

  notify({ as, topic, chain }, line) {
    answer(
      as, () => client.notify(topic, json(line, 'payload'), { chain, meta: json(line, 'meta'), signal: signalOf(as) }),
      (delivered) => report({ done: as, delivered }),
    );
  },

  broadcast({ as, topic, echo, retain, via, key, timeout_ms: timeout, trace }, line) {
    const options = { echo, retain, via, key, timeout, trace, signal: signalOf(as) };
    const begin = () => client.broadcast(topic, json(line, 'payload'), { ...options, meta: json(line, 'meta') });
    answer(as, begin, (told) => {
      if (via === undefined) report({ done: as, delivered: told });
      else tellResult(as, told);
    });
  },

  subscribe({ as, topics, retained, recover, after, epoch }) {
    tellEvents(as, client.subscribe(topics, { retained, recover, after, epoch }));
  },

  traces({ as, chain, topic, status, slower_than_ms: slowerThan, from, per_second: perSecond }) {
    tellEvents(as, client.traces({ chain, topic, status, slowerThan, from, perSecond }));
  },

  unsubscribe({ as }) {
    answer(as, () => subscriptions.get(as), (subscription) => {
      subscription.close();
      report({ done: as });
    });
  },

  request({ as, op, members }, line) {
    const begin = () => client.request(op, rawMembers(members, line));
    answer(as, begin, (reply) => report({ reply: as }, { line: reply.line }));
  },

  pages({ as, op, members }, line) {
    const begin = async () => {
      for await (const page of client.pages(op, rawMembers(members, line))) report({ page: as }, { line: page.line });
    };
    answer(as, begin, () => report({ done: as }));
  },

  send_unencodable({ as, topic }) {
    answer(as, () => client.send(topic, NaN), () => {});
  },

  cancel({ as }) {
    controllers.get(as)?.abort();
  },

  add({ as, handler }, line) {
    answer(as, () => client.add(...described(handler, member(line, 'handler')), handle), (link) => {
      links.set(as, link);
      report({ added: as, chain: link.chain, handler: link.handler }, { rank: link.rankText });
    });
  },

  remove({ as, link }) {
    answer(as, () => linkOf(link).remove(), () => report({ done: as }));
  },

  update({ as, link, accepts, timeout_ms: timeout, window, on_failure: onFailure, share, hold_ms: hold, ...others }) {
    const { required, shadow, percent, when } = others;
    const changes = { accepts, timeout, window, onFailure, share, hold, required, shadow, percent, when };
    answer(as, () => linkOf(link).update(changes), () => report({ done: as }));
  },

  move({ as, link, at, before, after }, line) {
    const moved = linkOf(link);
    const target = { at, before, after, rank: json(line, 'rank') };
    answer(as, () => moved.move(target), () => report({ done: as }, { rank: moved.rankText }));
  },

  drain() {
    client.drain().then(() => report({ drained: true }));
  },

  close() {
    client.close().then(() => report({ closed: true }));
  },
};

/** The members of a request, each as the command spells it. */
function rawMembers(members, line) {
  const text = member(line, 'members') ?? '{}';
  return Object.fromEntries(Object.keys(members ?? {}).map((name) => [name, json(text, name)]));
}

/** The options of a message. */
function messageOptions({ as, chain, mode, key, timeout_ms: timeout, trace, ...durable }, line) {
  const { once, tries, retry_ms: retry, expires_ms: expires, delay_ms: delay } = durable;
  const options = { chain, mode, key, timeout, trace, once, tries, retry, expires, delay };
  return { ...options, meta: json(line, 'meta'), signal: signalOf(as) };
}

/** What calls off the call of that name. */
function signalOf(as) {
  const controller = new AbortController();
  controllers.set(as, controller);
  return controller.signal;
}

/** The link that a command names: by the name of its `add`, or by its handler's. */
function linkOf(name) {
  return links.get(name) ?? client.links.find(({ handler }) => handler === name);
}

/** The patterns and options of a handler, whose JSON is `text`. */
function described({ handler, accepts, timeout_ms, on_failure, hold_ms, rank, ...others }, text) {
  const options = { ...others, name: handler, timeout: timeout_ms, onFailure: on_failure, hold: hold_ms };
  if (rank !== undefined) options.rank = json(text, 'rank');
  return [accepts ?? '>', options];
}

/** Lets a handler that waits go on, unless it was cancelled meanwhile. */
function give(offer, conclusion) {
  asked.get(offer)?.resolve(conclusion);
  asked.delete(offer);
}

/** Says what a handler is asked, and waits for the command that answers. */
function handle(message, { signal }) {
  const { handler, chain, topic, key, from, traceparent, again, shadow, forBroadcast } = message;
  const when = message.doubtful ? 'unknown' : undefined;
  const together = message.together || undefined;
  const within = message.within || undefined;
  const raw = { payload: message.payloadText, meta: message.metaText };
  const { stored, resent } = message;
  const durable = { stored, try: message.try, resent };
  const members = { handler, chain, topic, key, from, within, traceparent, again, shadow, when, together, ...durable };
  if (forBroadcast) members.for = 'broadcast';
  const offer = (calls += 1);
  if (message.notice) {
    report({ notice: offer, ...members }, raw);
    return handled();
  }
  report({ offer, ...members }, raw);
  return new Promise((resolve, no) => {
    asked.set(offer, { resolve, message, inside: AsyncResource.bind((work) => work()) });
    signal.addEventListener('abort', () => {
      if (!asked.delete(offer)) return;
      report({ cancelled: offer });
      no(signal.reason);
    });
  }).then((conclusion) => conclusion());
}

/** Begins something at once, and says what comes of it. */
function answer(as, begin, tellIt) {
  new Promise((resolve) => resolve(begin())).then(tellIt).catch(({ name, code, message, sent }) => {
    if (name === 'AbortError') report({ failed: as, code: 'cancelled' });
    else report({ failed: as, code, message, sent });
  });
}

function tellResult(as, result) {
  const { status, by, message, cause, delivered, again, hops, stored, dead, moreFailures: more_failures } = result;
  const results = result.results.map((given) => {
    const payload = given.payloadText === undefined ? '' : `,"payload":${given.payloadText}`;
    return `{"by":${JSON.stringify(given.by)}${payload}}`;
  });
  report(
    { result: as, status, by, message, cause, hops, delivered, again, stored, try: result.try, dead, more_failures },
    {
      payload: result.payloadText,
      failures: result.failures.length === 0 ? undefined : JSON.stringify(result.failures),
      // Parsing would round a large one.
      code: result.code === undefined ? undefined : member(result.line, 'code'),
      results: results.length === 0 ? undefined : `[${results.join(',')}]`,
    },
  );
}

function tellLetter(as, { stored, topic, chain, key, tries, age, result, payloadText: payload, metaText: meta }) {
  const { status, cause, message } = result;
  report({ letter: as, stored, topic, chain, key, tries, ago_ms: age, status, cause, message }, { payload, meta });
}

function tellEvents(as, subscribed) {
  subscriptions.set(as, subscribed);
  answer(as, () => subscribed, async (subscription) => {
    report({ done: as });
    for await (const event of subscription) tell(as, event);
  });
}

function tell(as, event) {
  const { topic, from, missed, leftOut, seq, isRetained, payloadText: payload, metaText: meta } = event;
  const counts = { within: event.within || undefined, traceparent: event.traceparent, missed: missed > 0 && missed, gone: goneText(event.gone), left_out: leftOut > 0 && leftOut };
  report({ event: as, topic, from, ...counts, seq, retained: isRetained }, { payload, meta });
}

function goneText(gone) {
  if (gone === undefined) return undefined;
  if (gone.count !== undefined) return `${gone.count}`;
  return gone.atMost === undefined ? 'unknown' : `at most ${gone.atMost}`;
}

/** One command. */
function carryOut(line) {
  const command = JSON.parse(line);
  commands[command.do](command, line);
}

const input = createInterface({ input: process.stdin });
input.on('line', carryOut);
input.on('close', () => process.exit(0));
