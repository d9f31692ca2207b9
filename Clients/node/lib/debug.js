// The lines of a connection, for people who look for a fault: `BATON_DEBUG=1`.
import { shown } from './text.js';

/** So many characters of a line are shown. */
const most = 200;

/** Shows a line on standard error, if the environment asks for it: first a mark for its way, then the line. */
export const show = process.env.BATON_DEBUG === '1' ? print : undefined;

function print(way, text) {
  for (const whole of text.split('\n')) {
    if (whole === '') continue;
    // A token is never told.
    const line = whole.startsWith('{"op":"hello"') ? whole.replace(/("token":)"(?:[^"\\]|\\.)*"/u, '$1"…"') : whole;
    const rest = line.length > most ? `… (${line.length} characters)` : '';
    process.stderr.write(`baton ${way} ${shown(line.slice(0, most))}${rest}\n`);
  }
}
