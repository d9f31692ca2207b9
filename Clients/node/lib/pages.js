/**
 * The replies to a request that is answered in pages: each says where the next one begins. `ask` sends the request with
 * these members and returns its reply.
 *
 * @param {(members: Record<string, unknown>) => Promise<Record<string, any>>} ask
 * @param {Record<string, unknown>} members
 */
export async function* pages(ask, members) {
  let reply = await ask(members);
  yield reply;
  while (reply.more === true && reply.after !== undefined) {
    reply = await ask({ ...members, after: reply.after });
    yield reply;
  }
}
