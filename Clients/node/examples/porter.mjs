// A porter: takes care of every message about doors.
import { Client, handled } from 'baton-client';

const client = new Client({ name: 'porter', report: console.log });

client.handle('door.*', async function porter(message) {
  return handled(`Come in, ${message.payload}.`);
});

await client.run();
