import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { waitUntil } from '@causeway/test-kit';
import { Link } from './link.ts';

// A server that echoes its input after its own name.

let servers: Server[];
let link: Link;

async function echo(name: string): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined).on('data', (piece) => socket.write(`${name}:${piece.toString()} `));
  });
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

beforeEach(async () => {
  servers = [];
  link = await Link.to(await echo('a'));
});
afterEach(async () => {
  await link.close();
  for (const server of servers) server.close();
});

function client(): { socket: Socket; heard: () => string } {
  let heard = '';
  const socket = connect(link.port, '127.0.0.1').on('error', () => undefined);
  socket.on('data', (piece) => (heard += piece.toString()));
  return { socket, heard: () => heard };
}

it('forwards both ways, and sends new connections to another port', async () => {
  const [before, port] = [client(), await echo('b')];
  before.socket.write('1');
  await waitUntil('it is answered', () => before.heard() === 'a:1 ');
  link.retarget(port);
  const after = client();
  after.socket.write('2');
  await waitUntil('the other one answers', () => after.heard() !== '');
  expect(after.heard()).toBe('b:2 ');
});

it('breaks connections while cut, and forwards again when open', async () => {
  const { socket } = client();
  await once(socket, 'connect');
  const broken = once(socket, 'close');
  link.set('cut');
  await broken;
  await once(client().socket, 'close');
  link.set('open');
  const again = client();
  again.socket.write('1');
  await waitUntil('it is answered', () => again.heard() !== '');
  expect(again.heard()).toBe('a:1 ');
});

it('holds data back while silent, and delivers it late', async () => {
  const { socket, heard } = client();
  link.set('silent');
  socket.write('1');
  await sleep(150);
  expect(heard()).toBe('');
  link.set('open');
  await waitUntil('it arrives', () => heard() === 'a:1 ');
});

it('delays each piece', async () => {
  const { socket, heard } = client();
  link.set(100);
  const startedAt = performance.now();
  socket.write('1');
  await waitUntil('it arrives', () => heard() === 'a:1 ', { intervalMs: 5 });
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(195);
});
