import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import type { Address, Hex } from 'viem';
import { Ledger } from '../src/index.js';
import { GENERATED_SETTINGS } from './generated-chain.js';

// The logs of BridgeLock, its timelock and its sentinel, after each kind of call that changes trust. A log is its
// address, topics, data, block, transaction and index.

const { contract, sentinel, logs } = JSON.parse(
  readFileSync(new URL('vectors/governance.json', import.meta.url), 'utf8'),
) as { readonly contract: Address; readonly sentinel: Address; readonly logs: readonly string[] };

it('lists the changes of real contracts in order, each with what allowed it', () => {
  const ethereum = { chainId: 31_337, contract, sentinel, deployedAtBlock: 0n };
  const ledger = Ledger.begin({ ...GENERATED_SETTINGS, ethereum });
  for (const log of logs) {
    const [address, topics = '', data, block = '', transactionHash, index] = log.split(' ');
    const place = { transactionHash: transactionHash as Hex, blockNumber: BigInt(block), logIndex: Number(index) };
    ledger.apply('ethereum', {
      address: address as Address,
      topics: topics.split(',') as Hex[],
      data: data as Hex,
      ...place,
    });
  }
  expect(ledger.findings).toEqual([]);
  const changes = ledger.trust.map(
    ({ name, how, announcedAt }) => `${name} ${how}${announcedAt === null ? '' : ` ${announcedAt}`}`,
  );
  expect(changes.filter((change) => !change.endsWith(' DEPLOYMENT'))).toEqual([
    'PauserAdded GUARDIAN',
    'RelayerChanged ANNOUNCED 7',
    'PauseSet GUARDIAN',
    'PauseSet VOTED',
    'StandbyChanged ANNOUNCED 13',
    'StandbyChanged GUARDIAN',
    'RelayerChanged GUARDIAN',
    'PauserAdded GUARDIAN',
    'PauserRemoved GUARDIAN',
    'TreasurySet ANNOUNCED 19',
    'AttestersSet ANNOUNCED 22',
    'ListingSet ANNOUNCED 25',
    'MaxAmountSet POLICY',
    'MinDelayChange ANNOUNCED 29',
    'OfficeReplaced ANNOUNCED 32',
    'OfficeReplaced VOTED',
  ]);
});
