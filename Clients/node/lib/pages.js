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
  let { after } = members;
  // A page that leads to itself has no next one.
  while (reply.more === true && ['string', 'number'].includes(typeof reply.after) && reply.after !== after) {
    ({ after } = reply);
    reply = await ask({ ...members, after });
    yield reply;
  }
}
