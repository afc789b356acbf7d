// The gateway without its own check of Node.js: the command has made it.
import { runGateway } from '../node_modules/@causeway/gateway/dist/gateway.js';

await runGateway();
