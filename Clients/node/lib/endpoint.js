import net from 'node:net';
import { Unreachable } from './errors.js';

/** The addresses of this machine that no other machine reaches. */
const loopback = new net.BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** The place of a server: a host and a port, encrypted or not, or the path of a Unix socket. */
export class Endpoint {
  /**
   * Reads `HOST:PORT`, `[IPV6]:PORT`, `tcp:HOST:PORT`, `tls:HOST:PORT` or `unix:PATH`.
   * @throws {Unreachable} for anything else
   */
  constructor(text) {
    // A place without its host, tls:22867, is not the place of a host called tls, which would not be encrypted.
    const [, kind, place] = /^(?:(tls|tcp):(?!unix:))?(.*)$/s.exec(String(text));
    this.isEncrypted = kind === 'tls';
    const [, path, bracketed, plain, port] =
      /^(?:unix:([^\0]+)|(?:\[([^\],]+)\]|([^:[\],/]+)):([0-9]{1,5}))$/s.exec(place) ?? [];
    if (path === undefined && !(Number(port) <= 65535)) {
      const wrong = JSON.stringify(text);
      const how = 'write HOST:PORT, tls:HOST:PORT or unix:PATH, several with commas between them';
      throw new Unreachable(`${wrong} is not a place to connect to; ${how}`);
    }
    /** What `net.connect` takes. All addresses of a name are tried, because a server may listen at one of them only. */
    this.target = { path };
    if (path === undefined) this.target = { host: bracketed ?? plain, port: Number(port), autoSelectFamily: true };
    /** As the program says it. */
    this.place = text;
    /** Whether nobody else can read what goes there: it is encrypted, or stays on this machine. */
    this.isPrivate = this.isEncrypted || path !== undefined || isLoopback(this.target.host);
    this.text = path === undefined ? `${this.isEncrypted ? 'tls' : 'tcp'} ${place}` : `unix ${path}`;
  }

  /** For people: `tcp 127.0.0.1:22866`, `tls a.example:22867` or `unix /run/baton`. */
  toString() {
    return this.text;
  }
}

function isLoopback(host) {
  if (host.toLowerCase() === 'localhost') return true;
  const [address] = host.split('%');
  return net.isIP(address) !== 0 && loopback.check(address, net.isIPv6(address) ? 'ipv6' : 'ipv4');
}
