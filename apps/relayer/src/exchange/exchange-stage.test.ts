import { expect, it } from '@jest/globals';
import { anIntent, anOperation } from '@causeway/store/test';
import { aHash, anAddress } from '@causeway/test-kit';
import type { Fence, Operation } from '@causeway/store';
import type { BridgeChains } from '../bridge-chain.js';
import type { Configuration } from '../configuration.js';
import { Board } from './board.js';
import { ExchangeStage } from './exchange-stage.js';

const anOpen = (status: 'PENDING_ORIGIN_TX' | 'CONFIRMING'): Operation => anOperation(anIntent(), { status });

it('removes unpaid intents beyond the limit, but no paid one', async () => {
  const board = new Board(() => 1);
  const show = async (stage: 'ACCEPTED' | 'FINAL', operations: readonly Operation[]) => {
    for (const { id } of operations)
      board.show(stage, {
        kind: 'MINT',
        id,
        origin: { blockNumber: 7n, transactionHash: aHash() },
        payment: { depositNonce: 1n, token: anAddress(), recipient: anAddress(), amount: 5n },
      });
  };
  const [unpaid, paid, other] = [anOpen('PENDING_ORIGIN_TX'), anOpen('CONFIRMING'), anOpen('PENDING_ORIGIN_TX')];
  let accepted = [unpaid, paid];
  const store = {
    attestable: {
      findFinal: async () => [],
      findAccepted: async () => accepted,
      replaceAnswers: async () => undefined,
    },
    operations: {
      findByIds: async (ids: readonly string[]) => [unpaid, paid, other].filter(({ id }) => ids.includes(id)),
    },
    refunds: { find: async () => null },
  };
  const { destinationChainId: chainId } = unpaid;
  const stage = new ExchangeStage(
    { ethereum: { chainId }, partner: { chainId: 0 } } as BridgeChains,
    store,
    { exchange: {} } as Pick<Configuration, 'exchange'>,
    { board, show, isAsking: async () => true, isLate: () => false, listAnswers: async () => [] },
  );
  await stage.run({ token: 1n } as Fence);
  accepted = [other];
  await stage.run({ token: 1n } as Fence);
  expect(board.list().map(({ id }) => id)).toEqual([paid.id, other.id]);
});
