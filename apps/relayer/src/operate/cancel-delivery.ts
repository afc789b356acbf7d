import {
  broadcast,
  bumpFees,
  estimateFees,
  signTransaction,
  simulate,
  type SignedTransactionRecord,
} from '@causeway/chain';
import type { JournalEntry } from '@causeway/store';
import { isHash, type Hex } from 'viem';
import { findMined } from '../deliver/find-mined.js';
import { doesOriginStand } from '../finalize/does-origin-stand.js';
import { haltedChains } from '../schedule/halted-chains.js';
import { eachChain, type BridgeChain } from '../world/bridge-chain.js';
import type { Command } from './command.js';
import { CommandRefusedError, type Desk } from './desk.js';

/** `cancel` */
export const cancelDelivery: Command = {
  name: 'cancel',
  takes: ['operationId'],
  switches: { send: 'sign, store and send the cancellation; without it, only show it' },
  summary: 'Uses up the nonce of a delivery whose origin is gone, so that later deliveries need not wait for it.',
  run: async (desk, [given = ''], switches) => {
    const { signer, say } = desk;
    const { chain, entry } = await findWithheld(desk, given);
    const { client } = chain.connection;
    const nothing = { to: signer.address, data: '0x', value: 0n } as const;
    const cap = desk.configuration.maxFeePerGas;
    const fees = bumpFees(entry, await estimateFees(client, cap), cap);
    const simulation = await simulate(client, { from: signer.address, ...nothing }, []);
    if (simulation.kind !== 'ok') throw new CommandRefusedError(`The cancellation would fail: ${simulation.kind}`);
    say(
      `Nonce ${entry.nonce} of ${signer.address} on chain ${chain.chainId} is held by the delivery ${entry.hash}. ` +
        `In its place: nothing to itself, for at most ${fees.maxFeePerGas * simulation.gas} wei of fees.`,
    );
    if (!switches.has('send')) return say('Nothing was signed or sent. Do it with --send.');
    const terms = { ...fees, nonce: entry.nonce, gas: simulation.gas };
    await send(desk, chain, entry, await signTransaction(signer, chain.chainId, nothing, terms));
  },
};

/** The delivery of an operation, if it may be cancelled. */
async function findWithheld(desk: Desk, given: string): Promise<{ chain: BridgeChain; entry: JournalEntry }> {
  const { store } = desk;
  const operation = isHash(given) ? await store.operations.findById(given.toLowerCase() as Hex) : null;
  if (operation === null) throw new CommandRefusedError(`There is no operation ${given}`);
  if ((await haltedChains(store))(operation))
    throw new CommandRefusedError('A chain of the operation is halted. Decide about that first: resume --help');
  const entry = await store.journal.findPending(operation.id);
  if (entry === null) throw new CommandRefusedError('The operation has no transaction on its way: nothing to cancel');
  if (entry.purpose === 'CANCELLATION')
    throw new CommandRefusedError(`${entry.hash} cancels it already. The relayer sends it until it is final`);
  const chain = chainOf(desk, operation.destinationChainId);
  const mined = await findMined(store, chain.connection.client, entry);
  if (mined !== null) throw new CommandRefusedError(`${mined.hash} is mined: nothing to cancel`);
  if (await doesOriginStand(store, chainOf(desk, operation.originChainId), operation))
    throw new CommandRefusedError('The origin stands: the delivery is owed, and the relayer sends it');
  return { chain, entry };
}

function chainOf({ chains }: Desk, id: number): BridgeChain {
  const found = eachChain(chains).find(({ chainId }) => chainId === id);
  if (found === undefined) throw new CommandRefusedError(`Chain ${id} is not one of the two configured`);
  return found;
}

async function send(
  { store, say }: Desk,
  chain: BridgeChain,
  entry: JournalEntry,
  signed: SignedTransactionRecord,
): Promise<void> {
  if (!(await store.journal.cancel(entry, signed)))
    throw new CommandRefusedError('The delivery was replaced or concluded meanwhile, or a chain halted. Look again');
  const { kind } = await broadcast(chain.connection.client, signed.raw);
  say(`${signed.hash} is stored and sent (${kind}). The relayer sends it again, with higher fees, until it is final.`);
}
