// Only dynamic imports: the check must run before a module needs a newer Node.
const OLDEST_NODE = 24;

if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  process.stderr.write(`The gateway needs Node.js ${OLDEST_NODE} or newer, this is ${process.version}.\n`);
  process.exit(1);
}
const { runGateway } = await import('./gateway.js');
await runGateway();
