/** The most bytes of a line. No Baton server sends a longer one. */
const longest = 256 * 2 ** 20;

/**
 * Splits bytes into lines. It looks for the byte LF before it decodes, because a character may come in two pieces. The
 * rest of a piece is copied once, however many pieces follow.
 */
export class LineSplitter {
  #kept = Buffer.alloc(0);
  #count = 0;

  /** The lines that end in this piece, without their line feeds. Throws a `RangeError` for a line that is too long. */
  take(/** @type {Buffer} */ piece) {
    const end = piece.lastIndexOf(0x0a);
    if (end < 0) {
      this.#keep(piece);
      return [];
    }
    let start = 0;
    let first;
    if (this.#count > 0) {
      start = piece.indexOf(0x0a) + 1;
      this.#keep(piece.subarray(0, start - 1));
      first = this.#kept.toString('utf8', 0, this.#count);
      this.#forget();
    }
    if (end + 1 < piece.length) this.#keep(piece.subarray(end + 1));
    if (start > end) return [first];
    // All lines are decoded at once.
    const lines = piece.toString('utf8', start, end).split('\n');
    if (first !== undefined) lines.unshift(first);
    return lines;
  }

  #keep(bytes) {
    const count = this.#count + bytes.length;
    if (count > longest) throw new RangeError('what answers there sends a line without an end: it is no Baton server');
    if (count > this.#kept.length) {
      const larger = Buffer.allocUnsafe(Math.max(count, 2 * this.#kept.length, 4096));
      this.#kept.copy(larger, 0, 0, this.#count);
      this.#kept = larger;
    }
    bytes.copy(this.#kept, this.#count);
    this.#count = count;
  }

  #forget() {
    this.#count = 0;
    // After one large line, the memory is not kept.
    if (this.#kept.length > 2 ** 20) this.#kept = Buffer.alloc(0);
  }
}
