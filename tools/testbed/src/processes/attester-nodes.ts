import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';

// The nodes of one attester: an address of its own before each chain. They can be ended and cut off as nodes can, and
// forward to the one process that each chain has on this machine.
// Arguments: the addresses of Ethereum and of the partner chain. Sends its own two over IPC.

const HOST = '127.0.0.1';

/** The addresses of an attester's nodes. */
export interface AttesterNodes {
  readonly ethereum: string;
  readonly partner: string;
}

const [ethereum, partner] = process.argv.slice(2);
if (ethereum === undefined || partner === undefined) throw new Error('usage: attester-nodes.js <ethereum> <partner>');
process.once('disconnect', () => process.exit(0));
process.once('SIGTERM', () => process.exit(0));
const nodes: AttesterNodes = { ethereum: await forward(ethereum), partner: await forward(partner) };
// The process above may have ended while this one was starting.
if (process.send !== undefined && !process.connected) process.exit(0);
process.send?.(nodes);

/** Returns the address at which connections to a node are taken. */
async function forward(url: string): Promise<string> {
  const { hostname: host, port } = new URL(url);
  const server = createServer((client) => {
    const node = connect({ host, port: Number(port) });
    client.on('error', () => undefined).on('close', () => node.destroy());
    node.on('error', () => undefined).on('close', () => client.destroy());
    client.pipe(node).pipe(client);
  });
  server.listen(0, HOST);
  await once(server, 'listening');
  return `http://${HOST}:${(server.address() as AddressInfo).port}`;
}
