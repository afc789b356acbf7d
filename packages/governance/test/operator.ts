import type { PrivateKeyAccount } from 'viem/accounts';
import type { AdminCall, PlannedCalls } from '../src/calls/calls.js';
import { executeTogether } from '../src/calls/execute.js';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/contracts/abi';
import { deployBridge, type AddressBook } from '@causeway/contracts/deploy';
import { localConfig, startChains, makeTarget, type TestChains, type TestTarget } from './fixtures.js';

/** A deployment on two nodes, and an operator who plans and makes calls there. */
export interface Operator {
  readonly chains: TestChains;
  readonly ethereum: TestTarget;
  readonly partner: TestTarget;
  readonly book: AddressBook;
  readonly clients: { readonly ethereum: TestTarget['client']; readonly partner: TestTarget['client'] };
  readonly lock: { readonly address: AddressBook['relayer']; readonly abi: typeof bridgeLockAbi };
  readonly mint: { readonly address: AddressBook['relayer']; readonly abi: typeof bridgeMintAbi };
  /** Makes calls as an account, in a dry run unless `send` is set. Returns the lines that the operator sees. */
  readonly as: (
    signer: PrivateKeyAccount,
    planned: readonly AdminCall[] | PlannedCalls | Promise<PlannedCalls>,
    send?: boolean,
  ) => Promise<string>;
  /** Lets time pass on both chains. */
  readonly pass: (seconds: number) => Promise<void>;
}

/** Deploys the bridge, and keeps its state for `chains.restore`. */
export async function startOperator(over: object = {}): Promise<Operator> {
  const chains = await startChains();
  const { ethereum, partner } = chains;
  const book = await deployBridge({ config: localConfig(over), ethereum, partner });
  await chains.snapshot();
  const clients = { ethereum: ethereum.client, partner: partner.client };
  const as: Operator['as'] = async (signer, planned, send = false) => {
    const given = await planned;
    const { calls, changes } = 'calls' in given ? given : { calls: given, changes: [] };
    const lines = [...changes];
    const wallets = {
      ethereum: makeTarget(chains.anvils[0], signer).wallet,
      partner: makeTarget(chains.anvils[1], signer).wallet,
    };
    const onLine = (line: string) => void lines.push(line);
    await executeTogether({ calls, account: signer.address, clients, onLine, ...(send && { wallets }) });
    return lines.join('\n');
  };
  return {
    chains,
    ethereum,
    partner,
    book,
    clients,
    lock: { address: book.ethereum.bridgeLock, abi: bridgeLockAbi },
    mint: { address: book.partner.bridgeMint, abi: bridgeMintAbi },
    as,
    pass: async (seconds) => {
      for (const { cheat } of [ethereum, partner]) {
        await cheat.increaseTime({ seconds });
        await cheat.mine({ blocks: 1 });
      }
    },
  };
}
