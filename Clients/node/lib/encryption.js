import { createHash, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import tls from 'node:tls';
import { BadTLS } from './errors.js';
import { words } from './text.js';

/** The public keys that may be pinned: the one in use, and the next one. */
const mostPins = 2;

const notPinned = 'the server\'s public key is none of those that are pinned; if its operator has changed the key, pin '
  + 'the new one (pins, --tls-pin)';

/** What helps, by what OpenSSL says, and what the server does with an alert. What comes first counts. */
const help = [
  [/alert certificate required/, 'give a client certificate: certificate and key (--tls-certificate, --tls-key)'],
  [/alert unknown ca/, 'the server does not know the authority of the client certificate'],
  [/alert .*certificate/, 'the server does not take the client certificate'],
  [/alert no application protocol/, 'what answers there is no port of Baton for TLS'],
  [/protocol version|unsupported protocol/, 'the server does not speak TLS 1.3'],
  [/wrong version number/, 'what answers there does not speak TLS: leave tls: out, or connect to the port for TLS'],
  [/altnames|cert's list/, 'connect to a name or an address that the certificate is for'],
  [/expired/, 'its operator has to renew it, unless the clock of this machine is wrong'],
  [/not yet valid/, 'the clock of this machine may be wrong'],
  [/issuer|self.signed|first certificate/, 'name the file of its authority with ca (--tls-ca)'],
];

/** What is wrong with an encrypted connection, and what helps; undefined where it is no matter of encryption. */
export function wordsOfTLS(error, socket) {
  if (error.message === notPinned) return notPinned;
  let what;
  if (socket.authorizationError) what = `the server's certificate does not count: ${error.reason ?? error.message}`;
  else if (error.library === 'SSL routines') what = `TLS failed: ${error.reason}`;
  else return undefined;
  const found = help.find(([sign]) => sign.test(what.toLowerCase()));
  return found === undefined ? what : `${what}; ${found[1]}`;
}

/** The files and the pins that a program names. */
export class Encryption {
  #ca;
  #certificate;
  #key;
  #pins;

  constructor({ ca, certificate, key, pins = [] }) {
    for (const [name, path] of Object.entries({ ca, certificate, key })) {
      if (path !== undefined && typeof path !== 'string') throw new TypeError(`${name} is the path of a file`);
    }
    this.#pins = [pins].flat();
    if (!this.#pins.every((pin) => typeof pin === 'string')) throw new TypeError('pins are strings');
    this.#ca = ca;
    this.#certificate = certificate;
    this.#key = key;
  }

  /**
   * What `tls.connect` takes for connections to those of these places that are encrypted; undefined if none is. Reads the files.
   * @throws {BadTLS} where they are not right, or are named for nothing
   */
  options(endpoints) {
    const plain = endpoints.find(({ isEncrypted }) => !isEncrypted);
    if (plain !== undefined && (this.#hasFiles || this.#pins.length > 0)) {
      throw new BadTLS(
        `${plain.place} is not encrypted, and ca, certificate, key and pins are for places that are: write tls:HOST:PORT`,
      );
    }
    if (!endpoints.some(({ isEncrypted }) => isEncrypted)) return undefined;
    const digests = checkedPins(this.#pins);
    const isPinned = (certificate) => digests.length === 0 || digests.includes(digestOf(certificate));
    return {
      secureContext: this.#context({ ...this.#shown(), ca: this.#trusted() }),
      ALPNProtocols: ['baton'],
      // It counts more than NODE_TLS_REJECT_UNAUTHORIZED.
      rejectUnauthorized: true,
      checkServerIdentity: (host, certificate) => tls.checkServerIdentity(host, certificate)
        ?? (isPinned(certificate) ? undefined : new Error(notPinned)),
    };
  }

  /**
   * The same for a connection after a loss: certificates are renewed while programs run. Where the files are not right
   * just now, they count as they were.
   */
  renewed(endpoints, options) {
    if (options === undefined || !(this.#hasFiles || this.#authorities)) return options;
    try {
      return this.options(endpoints);
    } catch {
      return options;
    }
  }

  get #hasFiles() {
    return [this.#ca, this.#certificate, this.#key].some((path) => path !== undefined);
  }

  /** The file of the authorities. The variable is for all programs, also those whose place is not encrypted. */
  get #authorities() {
    return this.#ca ?? (process.env.BATON_TLS_CA || undefined);
  }

  /** The authorities; undefined for those that Node trusts. */
  #trusted() {
    if (this.#authorities === undefined) return undefined;
    try {
      const ca = readFileSync(this.#authorities);
      // A context takes text that holds no certificate, and trusts nobody then.
      new X509Certificate(ca);
      return ca;
    } catch (error) {
      throw new BadTLS(`cannot read the authorities ${this.#authorities}: ${error.reason ?? words(error)}`);
    }
  }

  /** The client certificate and its key. */
  #shown() {
    const [certificate, key] = [this.#certificate, this.#key];
    if (certificate === undefined && key === undefined) return {};
    if (certificate === undefined) {
      throw new BadTLS(`the private key ${key} needs its certificate: certificate (--tls-certificate)`);
    }
    if (key === undefined) throw new BadTLS(`the certificate ${certificate} needs its private key: key (--tls-key)`);
    try {
      const shown = { cert: readFileSync(certificate), key: readFileSync(key) };
      this.#context(shown);
      return shown;
    } catch (error) {
      throw new BadTLS(
        `cannot use the certificate ${certificate} with the private key ${key} (both must be PEM, the key without a `
        + `passphrase, and belong together): ${error.reason ?? words(error)}`,
      );
    }
  }

  #context(files) {
    return tls.createSecureContext({ ...files, minVersion: 'TLSv1.3', maxVersion: 'TLSv1.3' });
  }
}

function checkedPins(pins) {
  if (pins.length > mostPins) throw new BadTLS(`${pins.length} public keys are pinned; ${mostPins} are the most`);
  for (const pin of pins) {
    if (!/^[A-Za-z0-9+/]{43}=$/.test(pin)) {
      throw new BadTLS(
        `${JSON.stringify(pin)} is no pin: the base64 of the SHA-256 of a public key has 44 characters`,
      );
    }
  }
  return pins;
}

/** The pin of a certificate's public key; undefined where there is none. */
function digestOf({ raw }) {
  try {
    const key = new X509Certificate(raw).publicKey.export({ type: 'spki', format: 'der' });
    return createHash('sha256').update(key).digest('base64');
  } catch {
    return undefined;
  }
}
