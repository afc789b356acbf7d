import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// Reads a request and answers at once, with nothing in between: what Node's own HTTP server costs on this machine. Tells its address by IPC.
const ANSWER = '{"jsonrpc":"2.0","id":1,"result":"0x0"}';
const HEADERS = { 'content-type': 'application/json', 'content-length': ANSWER.length };

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, HEADERS);
    response.end(ANSWER);
  });
});
server.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});
process.once('disconnect', () => process.exit());
