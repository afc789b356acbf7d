import { once } from 'node:events';
import { connect, createServer } from 'node:net';

// How many packages test at once, and in which order. Turbo cannot say: it starts a task as soon as what it depends on
// is built, so the package that needs all others would begin last.

/** The first packages ask before the others are built. */
const GATHER_MS = 5_000;
/** Those with the longest tests begin first, so that no core is idle at the end. */
const LONGEST = ['e2e', 'apps/api', 'apps/relayer', 'apps/gateway', 'packages/store'];

/**
 * Gives slots to processes that ask. A slot ends with its connection.
 *
 * @returns the port to ask at.
 */
export async function serveSlots(count) {
  const waiting = [];
  let free = count;
  let isOpen = false;
  const rank = ({ folder }) => (LONGEST.includes(folder) ? LONGEST.indexOf(folder) : LONGEST.length);
  const give = () => {
    if (!isOpen) return;
    waiting.sort((one, other) => rank(one) - rank(other));
    while (free > 0 && waiting.length > 0) {
      const { socket } = waiting.shift();
      free -= 1;
      socket.once('close', () => {
        free += 1;
        give();
      });
      socket.write('go');
    }
  };
  const server = createServer((socket) => {
    socket.on('error', () => undefined).setEncoding('utf8');
    socket.once('data', (folder) => {
      const asked = { folder, socket };
      waiting.push(asked);
      socket.once('close', () => {
        if (waiting.includes(asked)) waiting.splice(waiting.indexOf(asked), 1);
      });
      give();
    });
  });
  server.once('connection', () =>
    setTimeout(() => {
      isOpen = true;
      give();
    }, GATHER_MS).unref(),
  );
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  return server.address().port;
}

/** Waits for a slot, which ends with this process. */
export async function takeSlot(port, folder) {
  const socket = connect(port, '127.0.0.1');
  socket.write(folder);
  await once(socket, 'data');
  socket.on('error', () => undefined).unref();
}
