import type { PartnerEvm } from '../evm/partner-evm.js';
import type { CallRequest } from './call-request.js';
import { simulate, type CallContext } from './simulate.js';

type Hex = `0x${string}`;

/** An access list (EIP-2930), and the result of the call with it. */
export interface AccessListResult {
  readonly accessList: readonly { readonly address: Hex; readonly storageKeys: readonly Hex[] }[];
  readonly gasUsed: bigint;
  /** The EVM's error; null on success. */
  readonly error: string | null;
}

/** Maximum rounds: a list can change the execution path, which can lead to a longer list. */
const MAX_ROUNDS = 8;

/** Finds the addresses and slots that a call reads, except those that are always warm (eth_createAccessList). */
export async function createAccessList(
  evm: PartnerEvm,
  context: CallContext,
  request: CallRequest,
): Promise<AccessListResult> {
  const { journal } = evm.evm;
  let { accessList } = request;
  for (let round = 1; ; round += 1) {
    journal.startReportingAccessList();
    try {
      const { gasUsed, error } = await simulate(evm, context, { ...request, accessList });
      const read = new Map(accessList.map(({ address, storageKeys }) => [address, new Set(storageKeys)]));
      const before = countEntries(read);
      for (const [address, slots] of journal.accessList ?? []) {
        const own = read.get(`0x${address}`) ?? new Set();
        for (const slot of slots) own.add(`0x${slot}`);
        read.set(`0x${address}`, own);
      }
      if (countEntries(read) === before || round === MAX_ROUNDS) return { accessList, gasUsed, error };
      accessList = [...read].map(([address, slots]) => ({ address, storageKeys: [...slots] }));
    } finally {
      delete journal.accessList;
    }
  }
}

function countEntries(read: ReadonlyMap<Hex, ReadonlySet<Hex>>): number {
  return [...read.values()].reduce((sum, slots) => sum + 1 + slots.size, 0);
}
