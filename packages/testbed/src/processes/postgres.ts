import { startEmbeddedPostgres } from '@causeway/store/embedded-postgres';

// A process of its own around PostgreSQL: ends with whoever started it. Argument: the data directory. Tells its URL over IPC.
const [dataDirectory] = process.argv.slice(2);
if (dataDirectory === undefined) throw new Error('usage: postgres.js <data directory>');
const server = await startEmbeddedPostgres({ dataDirectory });
const end = () => void server.stop().finally(() => process.exit(0));
process.once('disconnect', end);
process.once('SIGTERM', end);
// Whoever started it may have ended meanwhile.
if (process.send !== undefined && !process.connected) end();
else process.send?.(server.url);
