import { getCoin, formatAmount, type Side } from '@causeway/protocol';
import type { Address } from 'viem';
import type { NodeFacts } from './node-facts.js';
import { error, ok, warning, type Fact } from '@causeway/service/doctor';
import type { Finding } from './finding.js';

/** The relayer's signer, after it signed a transaction that no chain can execute. */
export interface SignerFacts {
  /** How it is configured: raw, keystore, remote or kms. */
  readonly kind: string;
  readonly signs: Fact<unknown>;
  readonly warnings: readonly string[];
}

export function checkSigner({ kind, signs, warnings }: SignerFacts, relayer: Address): readonly Finding[] {
  const cautions = warnings.map((sentence) =>
    warning('signer', sentence, 'see "Keys of the relayer" in docs/operate/run.md'),
  );
  if (!signs.ok)
    return [
      ...cautions,
      error('signer', `${kind}: ${signs.reason}`, 'see "Keys of the relayer" in docs/operate/run.md'),
    ];
  return [...cautions, ok('signer', `${kind}: signs for ${relayer} on both chains`)];
}

/** Gas of a large delivery, priced at the chain's current fee. */
const DELIVERY_GAS = 150_000n;
const FEW_DELIVERIES = 10n;
const ENOUGH_DELIVERIES = 200n;

/** The amounts that balances are compared with, in wei of the RPC. */
export interface BalanceExpectations {
  readonly relayer: Address;
  /** The coin that the wallet keeps for gas on each chain. */
  readonly gasReserve: Readonly<Record<Side, bigint>>;
}

/**
 * Judges the wallet's coin on both chains, and the float of BridgeMint. If nodes differ, the lowest balance counts.
 *
 * @param nodes the usable nodes of each chain.
 */
export function checkBalances(
  nodes: Readonly<Record<Side, readonly NodeFacts[]>>,
  { relayer, gasReserve }: BalanceExpectations,
): readonly Finding[] {
  const findings = (['ethereum', 'partner'] as const).map((side) => {
    const wallets = nodes[side].flatMap(({ wallet }) => (wallet.ok ? [wallet.value] : []));
    if (wallets.length === 0)
      return error('balances', `the wallet on ${side} was not checked: no node is usable`, 'repair a node first');
    const balance = least(wallets.map((wallet) => wallet.balance));
    const price = wallets.map(({ maxFeePerGas }) => maxFeePerGas).reduce((a, b) => (a > b ? a : b));
    return checkGas({ side, relayer, balance, price, kept: gasReserve[side] });
  });
  return [...findings, ...checkFloat(nodes)];
}

function checkGas(gas: {
  readonly side: Side;
  readonly relayer: Address;
  readonly balance: bigint;
  readonly price: bigint;
  readonly kept: bigint;
}): Finding {
  const { side, relayer, balance, price, kept } = gas;
  const coin = getCoin(side);
  const deliveries = price === 0n ? ENOUGH_DELIVERIES : balance / (DELIVERY_GAS * price);
  const amount = `the wallet has ${formatAmount(coin, balance)} ${coin} on ${side}`;
  const send = `send ${coin} to ${relayer} on ${side}`;
  if (deliveries < FEW_DELIVERIES) return error('balances', `${amount}: gas for ${deliveries} deliveries`, send);
  if (deliveries < ENOUGH_DELIVERIES) return warning('balances', `${amount}: gas for ${deliveries} deliveries`, send);
  if (balance >= kept) return ok('balances', `${amount}: gas for hundreds of deliveries`);
  const variable = side === 'ethereum' ? 'GAS_RESERVE_ETH' : 'WORKING_BALANCE_XCN';
  const finding = `${amount}, below ${variable} (${formatAmount(coin, kept)})`;
  return warning('balances', finding, `${send}, or lower ${variable}`);
}

/** The float must cover the largest deposit of XCN, or that deposit waits. */
function checkFloat({ ethereum, partner }: Readonly<Record<Side, readonly NodeFacts[]>>): readonly Finding[] {
  const floats = partner.flatMap(({ contract }) =>
    contract.ok && contract.value.float !== null ? [contract.value.float] : [],
  );
  if (floats.length === 0) return [];
  const float = least(floats);
  const largest = ethereum.flatMap(({ contract }) => (contract.ok ? [contract.value.listings.XCN.maxAmount] : []))[0];
  const amount = `the float of BridgeMint is ${formatAmount('XCN', float)} XCN`;
  if (largest === undefined || float >= largest) return [ok('balances', amount)];
  const finding = `${amount}, but a deposit can be ${formatAmount('XCN', largest)} XCN and would wait`;
  return [
    warning('balances', finding, 'causeway-admin top-up --chain partner, or lower the maximum of XCN on Ethereum'),
  ];
}

function least(values: readonly bigint[]): bigint {
  return values.reduce((a, b) => (a < b ? a : b));
}
