import { describe, expect, it } from '@jest/globals';
import type { StackFile } from '../environment/stack-file.js';
import { testAccounts } from '../bridge/accounts.js';
import { describeMovedPorts, summarize } from './summary.js';

const stack = {
  ethereum: { chainId: 31_337, rpcUrl: 'http://127.0.0.1:8545' },
  partner: { chainId: 327, rpcUrl: 'http://127.0.0.1:8546' },
  apiUrl: 'http://127.0.0.1:3000/api/v1',
  consoleUrl: 'http://127.0.0.1:3001',
} as StackFile;

describe('the summary', () => {
  it('has the address of the page first', () => {
    const addressBook = { ethereum: { tokens: {} }, partner: { tokens: {} } } as StackFile['addressBook'];
    const running = { ...stack, addressBook, accounts: testAccounts(), relayers: [], webUrl: 'http://127.0.0.1:3000/' };
    const [first] = /\bhttp\S+/.exec(summarize(running, '.causeway')) ?? [];
    expect(first).toBe(running.webUrl);
  });
});

describe('ports in use by other programs', () => {
  it('are not mentioned while every part has its usual port', () => {
    expect(describeMovedPorts(stack)).toBeNull();
  });

  it('are listed with the new address of each part and the change in a wallet', () => {
    const ethereum = { chainId: 31_337, rpcUrl: 'http://127.0.0.1:40123' };
    const text = describeMovedPorts({ ...stack, ethereum });
    expect(text).toContain('Ethereum is at http://127.0.0.1:40123: port 8545 is taken');
    expect(text).toContain('In a wallet that already has this chain, change its RPC URL');
    expect(text).toContain('--port-base');
    expect(text).not.toContain('8546');
    const service = describeMovedPorts({ ...stack, apiUrl: 'http://127.0.0.1:40124/api/v1' });
    expect(service).toContain('The REST API is at http://127.0.0.1:40124: port 3000 is taken');
    expect(service).not.toContain('wallet');
  });
});
