import { readFileSync } from 'node:fs';
import { z } from 'zod';

// The same number of levels above `src` as above `dist`.
const packageFile = new URL('../../package.json', import.meta.url);

/** The version of the gateway, as /health and web3_clientVersion tell it. */
export const VERSION = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(packageFile, 'utf8'))).version;
