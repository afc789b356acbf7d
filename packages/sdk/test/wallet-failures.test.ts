import { describe, expect, it } from '@jest/globals';
import { createWalletClient, http, type Account } from 'viem';
import { createBrowserStore, fromProvider, fromViem, parseRecord } from '../src/index.js';
import { sealRecord } from '../src/record/record-form.js';
import { CONFIG, offerSignatures, TransferWorld, USER } from './transfer-world.js';

// Each failure is a typed error, and each wait ends.

describe('a wallet', () => {
  it('whose node fails while a transaction is waited for is a WalletFailedError', async () => {
    const world = new TransferWorld();
    world.answers['eth_getTransactionReceipt'] = () => {
      throw new Error('HTTP 500');
    };
    const nextStep = 'The transaction was sent. Continue this transfer in a minute.';
    expect(await world.deposit()).toMatchObject({ nextStep, name: 'WalletFailedError', retry: { helps: false } });
    expect(world.record.steps).toMatchObject([{ state: 'sent', hash: world.deposits[0]?.hash }]);
  });

  it('that signs in another form than keys do is one, and nothing is sent', async () => {
    const world = new TransferWorld();
    offerSignatures(world, ['ERC-3009']);
    world.sign = async () => `0x${'12'.repeat(200)}`;
    expect(await world.deposit('USDC')).toMatchObject({ name: 'WalletFailedError' });
    expect(world.deposits).toHaveLength(0);
  });

  it('that never answers is left when the signal is aborted, and the transfer is not in use any more', async () => {
    const world = new TransferWorld();
    world.keepsNonce = false;
    const controller = new AbortController();
    world.send = async () => {
      controller.abort(new Error('enough'));
      return new Promise(() => undefined);
    };
    expect(await world.deposit('ETH', controller.signal)).toMatchObject({ message: 'enough' });
    expect(await world.resume()).toMatchObject({ state: 'UNDECIDED' });
  });

  it('of a malformed account or a smart account of viem is refused', () => {
    const provider = { request: async () => null };
    const malformed = () => fromProvider(provider, '0x12');
    expect(malformed).toThrow(expect.objectContaining({ name: 'InvalidInputError', field: 'account' }));
    const smart = { address: USER.address, type: 'smart' } as unknown as Account;
    const ofViem = () => fromViem(createWalletClient({ transport: http('http://127.0.0.1:1') }), smart);
    expect(ofViem).toThrow(expect.objectContaining({ name: 'InvalidInputError', field: 'account' }));
  });
});

describe('malformed input', () => {
  it('of a permit by the API names the field before anything is signed', async () => {
    const world = new TransferWorld();
    offerSignatures(world, ['ERC-2612'], 'x');
    const field = 'bySignature.typedData.message.nonce';
    expect(await world.deposit('USDC')).toMatchObject({ name: 'AnswerError', field });
    expect(world.saved).toHaveLength(0);
  });

  it('of a configuration without the domain of intents names the field', async () => {
    const world = new TransferWorld();
    world.api['bridge/config'] = { ...CONFIG, intent: { windowSeconds: 1_800 } };
    expect(await world.deposit()).toMatchObject({ name: 'AnswerError', field: 'intent.domain' });
  });

  it('of a record names the field', async () => {
    const world = new TransferWorld();
    offerSignatures(world, ['ERC-2612']);
    await world.deposit('USDC');
    const { checksum: _, ...terms } = world.record;
    const [sign, ...others] = terms.steps;
    const expectField = (field: string, changes: object) => {
      const record = sealRecord({ ...terms, ...changes });
      expect(() => parseRecord(record)).toThrow(expect.objectContaining({ name: 'RecordError', field }));
    };
    expectField('recipient', { recipient: terms.sender.replace(/[a-f]/, 'A').replace(/[A-F](?=[^A-F]*$)/, 'a') });
    expectField('steps.0.nonce', { steps: [{ ...sign, nonce: '1e3' }, ...others] });
    expectField('steps.0.domain', { steps: [{ ...sign, domain: { name: 'USDC' } }, ...others] });
  });

  it('of a platform without localStorage is named', () => {
    expect(() => createBrowserStore()).toThrow(
      expect.objectContaining({ name: 'InvalidInputError', field: 'storage' }),
    );
  });
});

describe('a record of a key', () => {
  it('has at most 1 kB', async () => {
    const world = new TransferWorld();
    offerSignatures(world, ['ERC-3009']);
    expect(await world.deposit('USDC')).toMatchObject({ state: 'SENT' });
    expect(JSON.stringify(world.record).length).toBeLessThanOrEqual(1_024);
  });
});
