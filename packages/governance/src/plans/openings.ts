import { isAddressEqual, type Address, type Hex, type PublicClient } from 'viem';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/contracts/abi';
import { formatWithUnit } from '../amounts.js';
import type { AddressBook } from '@causeway/contracts/address-book';
import type { ChainName } from '@causeway/contracts/deploy';
import {
  clientOn,
  contractOn,
  getViewParameters,
  otherChain,
  PlanRefusedError,
  type AdminCall,
  type CalledContract,
  type Clients,
  type PlannedCalls,
} from '../calls/calls.js';
import {
  findUsedUp,
  isDelivered,
  readNumbers,
  readOperations,
  readSteps,
  type Operation,
  type Payment,
  type UsedUp,
} from './deliveries.js';
import type { Report } from './ranges.js';

/** Seconds by which the heads of two chains can differ without a lagging node. */
const LAG_SECONDS = 60n;
/** Most numbers that are listed individually. */
const MOST_SHOWN = 20;

/**
 * Plans to reopen the numbers that false deliveries on a chain used up: deliveries with other terms than the operation
 * of the other chain, or without an operation. One call reopens up to 256 numbers.
 *
 * @throws PlanRefusedError while deliveries run, while the sender of a false delivery could send another one, or when a
 * node lags or hides events.
 */
export async function planReopen(
  book: AddressBook,
  chain: ChainName,
  clients: Clients,
  report: Report,
): Promise<PlannedCalls> {
  const contract = contractOn(book, chain);
  const client = await clientOn(clients, contract);
  const other = otherChain(chain);
  const otherClient = await clientOn(clients, contractOn(book, other));
  await expectPaused(client, contract);
  // Reads deliveries first: each operation begins before its delivery.
  const steps = await readSteps(client, book, chain, report);
  const begun = await readOperations(otherClient, book, other, report);
  const operations = new Map(begun.map((operation) => [operation.id, operation]));
  const strange = steps.filter((step): step is Payment => step.kind === 'delivery' && !operations.has(step.id));
  const { known, unnumbered } = await readNumbers(client, book, chain, strange);
  const { usedUp, counts } = findUsedUp(steps, operations, known);
  await expectCurrent(client, otherClient, other, usedUp);
  await expectDismissed(
    client,
    contract,
    usedUp.map(({ payment }) => payment.wallet),
  );
  const words = new Map<bigint, bigint[]>();
  for (const { number } of usedUp) words.set(number >> 8n, [...(words.get(number >> 8n) ?? []), number]);
  const calls = [...words].map(([word, numbers]): AdminCall => {
    const mask = numbers.reduce((bits, number) => bits | (1n << (number & 0xffn)), 0n);
    const effect = async (reader: PublicClient) => {
      const all = await Promise.all(numbers.map(async (number) => isDelivered(reader, book, other, number)));
      return shownUse('numbers', all.filter(Boolean).length);
    };
    return { ...contract, functionName: 'reopen', args: [word, mask, counts.get(word) ?? 0n], role: 'admin', effect };
  });
  return {
    calls,
    changes: [
      `${usedUp.length} numbers of ${other} that false deliveries on ${chain} used up`,
      ...shownSome(usedUp.map(describeUse)),
      ...describeLoss(
        chain,
        usedUp.map(({ payment }) => payment),
      ),
      ...(chain === 'ethereum' ? ['  intents are not compared: their terms are not on the chain'] : []),
      ...shownSome(
        unnumbered.map(
          ({ transactionHash }) => `  no number in the call data of ${transactionHash}: find the number by hand`,
        ),
      ),
    ],
  };
}

/**
 * Plans to reopen intents (Ethereum) or refunds (partner chain) that a false payment used up. The operator gives their
 * ids, since neither's terms are on the chain.
 *
 * @throws PlanRefusedError while deliveries run, for an id that is not paid, or while the sender of its payment could
 * pay it again.
 */
export async function planReopenIds(
  book: AddressBook,
  { chain, ids }: { readonly chain: ChainName; readonly ids: readonly Hex[] },
  clients: Clients,
  report: Report,
): Promise<PlannedCalls> {
  const contract = contractOn(book, chain);
  const client = await clientOn(clients, contract);
  await expectPaused(client, contract);
  const name = chain === 'ethereum' ? 'intent' : 'refund';
  for (const id of ids) {
    if (!(await isPaid(client, contract, id))) {
      throw new PlanRefusedError(`${contract.contract} has not paid the ${name} ${id}, so there is nothing to reopen`);
    }
  }
  const steps = await readSteps(client, book, chain, report);
  const named = ids.map((id) => ({
    count: steps.filter((step) => step.kind === 'id reopened' && step.id === id).length,
    payment: steps.findLast(
      (step): step is Payment => (step.kind === 'delivery' || step.kind === 'refund') && step.id === id,
    ),
  }));
  const payments = named.flatMap(({ payment }) => (payment === undefined ? [] : [payment]));
  await expectDismissed(
    client,
    contract,
    payments.map(({ wallet }) => wallet),
  );
  const call: AdminCall = {
    ...contract,
    functionName: 'reopenIds',
    args: [ids, named.map(({ count }) => BigInt(count))],
    role: 'admin',
    effect: async (reader) => {
      const all = await Promise.all(ids.map(async (id) => isPaid(reader, contract, id)));
      return shownUse(`${name}s`, all.filter(Boolean).length);
    },
  };
  return {
    calls: [call],
    changes: [
      `${ids.length} ${name}s of ${contract.contract} on ${chain} can be paid again`,
      ...payments.map((payment) => `  ${payment.id}: ${describePayment(payment)}`),
      ...(chain === 'ethereum' ? describeLoss(chain, payments) : []),
    ],
  };
}

async function expectPaused(client: PublicClient, contract: CalledContract): Promise<void> {
  const view = { ...getViewParameters(contract), functionName: 'pauses' } as const;
  const [, areDeliveriesPaused] = await client.readContract(view);
  if (areDeliveriesPaused) return;
  throw new PlanRefusedError(
    `Deliveries on ${contract.chain} are running: first run causeway-admin pause --direction both`,
  );
}

/** While the origin's node lags, a correct delivery looks like one without an operation. */
async function expectCurrent(
  client: PublicClient,
  originClient: PublicClient,
  origin: ChainName,
  usedUp: readonly UsedUp[],
): Promise<void> {
  const newest = usedUp.findLast(({ operation }) => operation === undefined);
  if (newest === undefined) return;
  const { timestamp: delivered } = await client.getBlock({ blockNumber: newest.payment.blockNumber });
  const { timestamp: head } = await originClient.getBlock();
  if (head + LAG_SECONDS >= delivered) return;
  throw new PlanRefusedError(
    `The node of ${origin} is ${delivered - head} seconds behind a delivery: use another node`,
  );
}

/** Refuses while the sender of a false delivery could use the numbers up again. */
async function expectDismissed(
  client: PublicClient,
  contract: CalledContract,
  wallets: readonly Address[],
): Promise<void> {
  for (const [role, remedy] of [
    ['relayer', 'causeway-admin activate-standby, or causeway-admin rotate-relayer'],
    ['standby', 'causeway-admin set-standby'],
  ] as const) {
    const holder = await client.readContract({ ...getViewParameters(contract), functionName: role });
    if (!wallets.some((wallet) => isAddressEqual(wallet, holder))) continue;
    throw new PlanRefusedError(
      `${holder} sent a false payment and is still ${role} of ${contract.contract} on ${contract.chain}: first run ${remedy}`,
    );
  }
}

async function isPaid(client: PublicClient, { chain, bridge: address }: CalledContract, id: Hex): Promise<boolean> {
  return chain === 'ethereum'
    ? client.readContract({ address, abi: bridgeLockAbi, functionName: 'isIntentReleased', args: [id] })
    : client.readContract({ address, abi: bridgeMintAbi, functionName: 'isRefunded', args: [id] });
}

/** The amounts per asset, and the top-up that restores the backing. */
function describeLoss(chain: ChainName, payments: readonly Payment[]): readonly string[] {
  return [...new Set(payments.map(({ asset }) => asset))].map((asset) => {
    const all = payments.filter((payment) => payment.asset === asset);
    const [amount, fee] = [all.reduce((sum, one) => sum + one.amount, 0n), all.reduce((sum, one) => sum + one.fee, 0n)];
    const missing = formatWithUnit(asset, amount + fee);
    const way =
      asset === 'ETH'
        ? `causeway-admin top-up --chain ethereum --amount "${missing}"`
        : 'a transfer of the token to BridgeLock';
    const float = chain === 'partner' && asset === 'XCN' ? `; the float of BridgeMint paid it` : '';
    return (
      `  ${asset}: ${formatWithUnit(asset, amount)} taken, ${formatWithUnit(asset, fee)} booked as fees${float}. ` +
      `A top-up of ${missing} restores the backing: ${way}`
    );
  });
}

function describeUse({ number, payment, operation }: UsedUp): string {
  const owed = operation === undefined ? 'no operation' : `owed ${describeTerms(operation)}`;
  return `  number ${number}: ${describePayment(payment)}; ${owed}`;
}

function describePayment(payment: Payment): string {
  return `paid ${describeTerms(payment)} in ${payment.transactionHash}`;
}

function describeTerms({ asset, amount, fee, recipient }: Payment | Operation): string {
  return `${formatWithUnit(asset, amount)} to ${recipient}${fee === 0n ? '' : `, fee ${formatWithUnit(asset, fee)}`}`;
}

function shownSome(lines: readonly string[]): readonly string[] {
  const left = lines.length - MOST_SHOWN;
  return left > 0 ? [...lines.slice(0, MOST_SHOWN), `  and ${left} more`] : lines;
}

function shownUse(name: string, used: number) {
  return { before: { [`${name} used up`]: `${used}` }, after: { [`${name} used up`]: '0' } };
}
