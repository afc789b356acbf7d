import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';

// The nodes of one attester: a forwarding port for each chain, which can be stopped or cut off like a node.
// Arguments: the URLs of Ethereum and of the partner chain. Sends its own two URLs over IPC.

const HOST = '127.0.0.1';

/** The URLs of an attester's nodes. */
export interface AttesterNodes {
  readonly ethereum: string;
  readonly partner: string;
}

const [ethereum, partner] = process.argv.slice(2);
if (ethereum === undefined || partner === undefined) throw new Error('usage: attester-nodes.js <ethereum> <partner>');
process.once('disconnect', () => process.exit(0));
process.once('SIGTERM', () => process.exit(0));
const nodes: AttesterNodes = { ethereum: await forward(ethereum), partner: await forward(partner) };
// The parent process can have ended during the start.
if (process.send !== undefined && !process.connected) process.exit(0);
process.send?.(nodes);

/** Forwards connections to a node and returns the URL to connect to. */
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
