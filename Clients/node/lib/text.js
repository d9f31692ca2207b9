// Texts for people, and for lines.

const lone = /\p{Surrogate}/u;

/** Whether a text holds no half of a surrogate pair: such a half is in no UTF-8. `isWellFormed` is new in Node 20. */
export const isWellFormed =
  typeof ''.isWellFormed === 'function' ? (text) => text.isWellFormed() : (text) => !lone.test(text);

/** Controls, invisible signs, marks of direction, halves of characters, and signs that nobody has given a meaning. */
const acting = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/gu;

/**
 * A text with those characters spelled out that would act on a terminal or in a log instead of being seen: what others say
 * is in errors and reports, too.
 */
export function shown(text) {
  return text.replace(acting, (sign) => `\\u{${sign.codePointAt(0).toString(16).toUpperCase()}}`);
}

/** The beginning of a text: at most that many bytes of UTF-8, cut between characters. Halves of pairs become U+FFFD. */
export function shortened(text, most) {
  let bytes = 0;
  let short = '';
  for (const character of text) {
    const whole = isWellFormed(character) ? character : '\ufffd';
    bytes += Buffer.byteLength(whole);
    if (bytes > most) break;
    short += whole;
  }
  return short;
}

/** A time for people, given in milliseconds: `8 h 12 min`. Its two largest units are enough. */
export function span(time) {
  if (time < 1000) return `${Math.round(time)} ms`;
  const whole = Math.floor(time / 1000);
  for (const [unit, size, part, fraction] of [['d', 86_400, 'h', 3600], ['h', 3600, 'min', 60], ['min', 60, 's', 1]]) {
    if (whole >= size) return `${Math.floor(whole / size)} ${unit} ${Math.floor((whole % size) / fraction)} ${part}`;
  }
  return `${whole} s`;
}

/** The words of anything that was thrown, even if asking for them throws. */
export function words(thrown) {
  try {
    if (thrown instanceof Error) return `${thrown.message || thrown.name}`;
    if (typeof thrown === 'string') return thrown;
    return `${thrown?.message ?? String(thrown)}`;
  } catch {
    return 'something was thrown that has no words';
  }
}

/** The first line of a text that is not blank. */
export function firstLine(text) {
  return text.split(/[\r\n\u2028\u2029]+/u).map((line) => line.trim()).find((line) => line !== '') ?? '';
}

/** An option that a function does not know is a mistake of the program. */
export function checkOptions(options, known, what) {
  if (options === null || typeof options !== 'object') throw new TypeError(`the options of ${what} are an object`);
  for (const name of Object.keys(options)) {
    if (!known.has(name)) throw new TypeError(`${what} takes no option "${name}"; it takes ${[...known].join(', ')}`);
  }
}
