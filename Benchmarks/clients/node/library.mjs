// The same with the library.
import { Client, handled } from '../../../Clients/node/index.js';
import { answer, main, topic } from './workload.mjs';

async function sender() {
  const client = await new Client({ name: 'bench' }).connect();
  return async (payload) => (await client.send(topic, payload)).payload;
}

async function handler(tick) {
  const client = new Client().handle('>', { name: 'bench' }, async () => {
    tick();
    return handled(answer);
  });
  await client.connect();
}

await main(sender, handler);
