// The smallest handler: it opens the door. Serves until Ctrl-C or SIGTERM.
import { Client, handled } from 'baton-client';

const client = new Client({ name: 'porter' });
client.handle('door.*', { name: 'porter' }, (message) => handled(`Come in, ${message.payload.who}.`));
await client.run();
