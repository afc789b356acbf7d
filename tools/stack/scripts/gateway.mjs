// The gateway without its check of Node.js, which the command has done.
import { runGateway } from '../node_modules/@causeway/gateway/dist/gateway.js';

await runGateway();
