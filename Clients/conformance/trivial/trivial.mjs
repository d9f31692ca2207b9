// A handler that takes every message, for Clients/conformance/speed.
import { Client, handled } from '../../node/index.js'

const client = new Client({ name: 'node' })
client.handle('>', { name: 'trivial' }, () => handled())
await client.run()
