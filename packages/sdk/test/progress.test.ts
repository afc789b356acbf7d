import { describe, expect, it } from '@jest/globals';
import { CONFIG, offerSignatures, TransferWorld } from './transfer-world.js';

describe('the progress of a transfer', () => {
  it('is reported from the check until it is mined, with the pending hash, as the record has it', async () => {
    const world = new TransferWorld();
    world.keepsNonce = false;
    offerSignatures(world, ['ERC-3009']);
    expect(await world.deposit('USDC')).toMatchObject({ state: 'SENT' });
    const { chainId } = CONFIG.ethereum;
    const [hash] = world.deposits.map((each) => each.hash);
    const signature = { step: 'signature', position: 1, count: 2, chainId };
    const transfer = { step: 'transfer', position: 2, count: 2, chainId };
    expect(world.progress).toMatchObject([
      { step: 'check', state: 'asked', position: 0, count: 0 },
      { step: 'check', state: 'done', chainId },
      { ...signature, state: 'asked', message: 'Sign the authorization of USDC' },
      { ...signature, state: 'done' },
      { ...transfer, state: 'asked' },
      { ...transfer, state: 'sent', hash, message: expect.stringContaining('pending') },
      { ...transfer, state: 'done', hash },
    ]);
    const states = world.saved.flatMap(({ steps }) => steps.slice(-1).map(({ state }) => state));
    expect(states.slice(-3)).toEqual(['asked', 'sent', 'done']);
  });
});
