import { readFileSync } from 'node:fs';
import { BadToken, Refused } from './errors.js';

/** The bytes that a token may have. */
const mostBytes = 256;

/** A token. It shows itself to nobody but the server: private members are not printed. */
export class Token {
  #text;

  constructor(text) {
    this.#text = text;
  }

  /** The text, for the line that tells it to the server. */
  get text() {
    return this.#text;
  }
}

/** Where a program's token comes from, and whether it may go over plain TCP to other machines. */
export class TokenSource {
  #given;
  #path;
  #mayBePlain;

  constructor({ token, tokenFile, plainToken = false }) {
    // The words of an error must not tell a token.
    if (token !== undefined && typeof token !== 'string') throw new TypeError('token is a string');
    if (tokenFile !== undefined && typeof tokenFile !== 'string') throw new TypeError('tokenFile is a string');
    if (typeof plainToken !== 'boolean') throw new TypeError('plainToken is true or false');
    this.#given = token;
    this.#path = tokenFile;
    this.#mayBePlain = plainToken;
  }

  /**
   * The token; undefined without one.
   * @throws {BadToken} where it cannot be used, or would be read on its way
   */
  read(endpoints) {
    const token = this.#find();
    const open = endpoints.find(({ isPrivate }) => !isPrivate);
    if (token !== undefined && !this.#mayBePlain && open !== undefined) {
      throw new BadToken(
        `a token does not go over plain TCP to ${open.place}, where others can read it: connect to `
        + `tls:${open.place}, or say plainToken (plain_token) if something else encrypts the way`,
      );
    }
    return token;
  }

  #find() {
    if (this.#given !== undefined) return checked(this.#given, 'that the program gives');
    const text = process.env.BATON_TOKEN;
    if (text !== undefined) return checked(text, 'in BATON_TOKEN');
    const path = this.#path ?? process.env.BATON_TOKEN_FILE;
    if (path === undefined) return undefined;
    if (path === '') throw new BadToken("the name of the token's file (BATON_TOKEN_FILE) is empty; name a file, or unset it");
    let data;
    try {
      data = readFileSync(path, 'latin1');
    } catch (error) {
      throw new BadToken(`the file of the token, ${path}, cannot be read: ${error.code ?? 'it is no path'}`);
    }
    return checked(data.replace(/[\r\n]+$/, ''), `in ${path}`);
  }
}

/**
 * The error that a client ends with because of this one: the server would not take it the next time either. Undefined
 * where it would.
 */
export function ending(refusal, token) {
  if (refusal.code === 'auth_failed') return refusal;
  if (refusal.code !== 'auth_required' || token !== undefined) return undefined;
  const how = 'give a token: the variable BATON_TOKEN, a file (BATON_TOKEN_FILE, --token-file), or token in the program';
  return new Refused(refusal.code, `${refusal.message}; ${how}`);
}

function checked(text, where) {
  if (text === '') throw new BadToken(`the token ${where} is empty; baton token NAME makes one`);
  if (/[^!-~]/.test(text)) {
    throw new BadToken(`the token ${where} has white space, or characters that are not ASCII; take them out`);
  }
  if (text.length > mostBytes) {
    throw new BadToken(`the token ${where} has more than ${mostBytes} bytes; baton token NAME makes a right one`);
  }
  return new Token(text);
}
