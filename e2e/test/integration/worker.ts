import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { waitUntil } from '@causeway/test-kit';
import { freePort, type TestEnvironment } from '../temporary-environment.js';
import type { PartnerFolder } from './partner-folder.js';

/** A worker that quotes, deposits with a key, and reads the status. */
const WORKER = `
import { connectBridge, deposit, fromViem, getQuote, getStatus } from '@causeway/sdk';
import { createWalletClient, http, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

interface Variables { API: string; ETHEREUM_RPC: string; PRIVATE_KEY: Hex }

export default {
  async fetch(_: Request, { API, ETHEREUM_RPC, PRIVATE_KEY }: Variables): Promise<Response> {
    const bridge = connectBridge({ apiUrl: API });
    const account = privateKeyToAccount(PRIVATE_KEY);
    const wallet = fromViem(createWalletClient({ account, transport: http(ETHEREUM_RPC) }));
    const terms = { asset: 'ETH', amount: '0.5', recipient: account.address };
    const { outputAmountFormatted } = await getQuote(bridge, { ...terms, direction: 'ETHEREUM_TO_PARTNER' });
    const { originTxHash } = await deposit(bridge, wallet, terms);
    const { status } = await getStatus(bridge, { originTxHash });
    return Response.json({ outputAmountFormatted, originTxHash, status });
  },
};
`;

function describeWorker(port: number, variables: Readonly<Record<string, string>>): string {
  const bindings = Object.entries(variables).map(([name, text]) => `(name = "${name}", text = "${text}")`);
  return `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = "2026-11-01",
  bindings = [${bindings.join(', ')}],
);
`;
}

/** Runs the worker in workerd, and returns its answer. */
export async function callWorker(partner: PartnerFolder, { stack, accounts }: TestEnvironment): Promise<unknown> {
  await partner.run('npm install @causeway/sdk viem workerd@1.20261117.1 esbuild@0.28.2');
  partner.write('worker.ts', WORKER);
  await partner.run('npx esbuild worker.ts --bundle --format=esm --outfile=worker.js');
  const port = await freePort();
  const variables = {
    API: stack.apiUrl,
    ETHEREUM_RPC: stack.ethereum.rpcUrl,
    PRIVATE_KEY: accounts.alice.privateKey,
  };
  partner.write('config.capnp', describeWorker(port, variables));
  const program = partner.resolve('node_modules/workerd/bin/workerd');
  const child = spawn(program, ['serve', 'config.capnp'], { cwd: partner.resolve('.'), stdio: 'ignore' });
  try {
    const url = `http://127.0.0.1:${port}`;
    let answer: Response | undefined;
    await waitUntil('the worker answers', async () => {
      answer = await fetch(url).catch(() => undefined);
      return answer !== undefined;
    });
    return await answer?.json();
  } finally {
    const ended = once(child, 'close');
    child.kill();
    await ended;
  }
}
