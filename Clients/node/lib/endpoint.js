import { Unreachable } from './errors.js';

/** The place of a server: a host and a port, or the path of a Unix socket. */
export class Endpoint {
  /**
   * Reads `unix:PATH`, `HOST:PORT` or `[IPV6]:PORT`.
   * @throws {Unreachable} for anything else
   */
  constructor(text) {
    const [, path, bracketed, plain, port] =
      /^(?:unix:([^\0]+)|(?:\[([^\]]+)\]|([^:[\]]+)):([0-9]{1,5}))$/s.exec(text) ?? [];
    if (path === undefined && !(Number(port) <= 65535)) {
      throw new Unreachable(`${JSON.stringify(text)} is not a place to connect to; write HOST:PORT or unix:PATH`);
    }
    /** What `net.connect` takes. All addresses of a name are tried, because a server may listen at one of them only. */
    this.target = { path };
    if (path === undefined) this.target = { host: bracketed ?? plain, port: Number(port), autoSelectFamily: true };
    this.text = path === undefined ? `tcp ${text}` : `unix ${path}`;
  }

  /** The place that a client connects to unless the program says another one. */
  static usual() {
    return process.env.BATON_SERVER || '127.0.0.1:22866';
  }

  /** For people: `tcp 127.0.0.1:22866` or `unix /run/baton`. */
  toString() {
    return this.text;
  }
}
