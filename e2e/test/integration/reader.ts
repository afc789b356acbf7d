import { copyFileSync, readFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import type { HistoryResponse } from '@causeway/protocol';
import type { TestEnvironment } from '../temporary-environment.js';
import type { PartnerFolder } from './partner-folder.js';

const README = readFileSync(new URL('../../../packages/verifier/README.md', import.meta.url), 'utf8');

/** Someone who checks the bridge by the README of `causeway-verify`, from its tarball in an empty folder. */
export async function checkAsReader(reader: PartnerFolder, { stack, accounts }: TestEnvironment): Promise<void> {
  const [install = ''] = /npm install .*/.exec(README) ?? [];
  await reader.run(install.replace('--global ', ''));
  copyFileSync(stack.addressBookFile, reader.resolve('book.json'));
  const query = `address=${accounts.alice.address}&status=COMPLETED`;
  const history = (await (await fetch(`${stack.apiUrl}/bridge/history?${query}`)).json()) as HistoryResponse;
  const PATH = `${reader.resolve('node_modules/.bin')}:${process.env['PATH']}`;
  const offline = { PATH, XDG_STATE_HOME: reader.resolve('state'), HASH: history.operations[0]?.originTxHash ?? '' };
  const online = {
    ...offline,
    CAUSEWAY_ETHEREUM_RPC: stack.ethereum.rpcUrl,
    CAUSEWAY_PARTNER_RPC: stack.partner.rpcUrl,
  };
  const [, commands = ''] = /```sh\n([\s\S]*?)```/.exec(README) ?? [];
  const [whole = '', operation = '', proof = ''] = commands.trim().split('\n');

  // Nodes prove the state here, so that their word is not needed.
  const report = JSON.parse(await reader.run(`${whole.replace(' --trust-nodes', '')} --json`, online)) as object;
  expect(report).toMatchObject({ result: 'right', findings: [], sheet: [{ asset: 'ETH' }, {}, {}] });
  expect(await reader.run(whole, online)).toMatch(/Changes of trust:\n[^]*\nRight\.\n$/);
  expect(await reader.run(operation, online)).toMatch(/kind: DEPOSIT\n[^]*\nProof: proof\.json\n[^]*\nRight\.\n$/);
  expect(await reader.run(proof, offline)).toMatch(/Block \d+ of chain 31337 is 0x[^]*\nRight\.\n$/);
  const altered = `sed -i 's/"amount": "/"amount": "9/' proof.json; ${proof} || echo "code $?"`;
  expect(await reader.run(altered, offline)).toMatch(/\nWrong:\n {2}statement\.amount: [^]*\ncode 11\n$/);
}
