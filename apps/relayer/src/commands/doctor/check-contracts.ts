import { formatAmount, listAssets, pickAsset, type Side } from '@causeway/protocol';
import type { Address } from 'viem';
import type { ContractFacts } from './contract-facts.js';
import { error, ok, warning, type Fact } from '@causeway/service/doctor';
import type { Finding } from './finding.js';

/** The facts about a chain's bridge contract, as each usable node reports them. */
export type ContractAnswers = Readonly<
  Record<Side, readonly { readonly name: string; readonly contract: Fact<ContractFacts> }[]>
>;

const CONTRACT = { ethereum: 'BridgeLock', partner: 'BridgeMint' } as const;
const SIDES = ['ethereum', 'partner'] as const;

/**
 * Judges the contracts: the nodes must agree on them. Then it compares code and settings with the address book, the
 * keys with each other, and the limits of both chains.
 *
 * @param servesExchange whether attesters can connect to this relayer.
 */
export function checkContracts(
  answers: ContractAnswers,
  isLocal: boolean,
  servesExchange: boolean,
): readonly Finding[] {
  const facts = { ethereum: firstFacts(answers.ethereum), partner: firstFacts(answers.partner) };
  const findings = SIDES.flatMap((side) => {
    const unread = answers[side].flatMap(({ name, contract }) =>
      // The check of the nodes reports nodes that limit this process.
      contract.ok || contract.isThrottled === true
        ? []
        : [
            error(
              'contracts',
              `${CONTRACT[side]} cannot be read from ${name}: ${contract.reason}`,
              'check ADDRESS_BOOK',
            ),
          ],
    );
    const found = facts[side];
    if (found === null) {
      const noNode = error('contracts', `${CONTRACT[side]} was not checked: no node is usable`, 'repair a node first');
      return unread.length > 0 ? unread : [noNode];
    }
    return [
      ...unread,
      ...checkAgreement(side, answers),
      ...checkSettings(side, found),
      ...checkPauses(side, found),
      ...checkThreshold(side, found, servesExchange),
    ];
  });
  return [...findings, ...checkKeys(facts, isLocal), ...checkListings(facts)];
}

type BothFacts = Readonly<Record<Side, ContractFacts | null>>;

function firstFacts(answers: ContractAnswers[Side]): ContractFacts | null {
  return answers.flatMap(({ contract }) => (contract.ok ? [contract.value] : []))[0] ?? null;
}

/** The float changes from block to block; everything else changes rarely. */
function checkAgreement(side: Side, answers: ContractAnswers): readonly Finding[] {
  const texts = answers[side].flatMap(({ contract }) =>
    contract.ok ? [JSON.stringify({ ...contract.value, float: null }, (_, value: unknown) => toText(value))] : [],
  );
  if (new Set(texts).size <= 1) return [];
  const finding = `the nodes of ${side} disagree on ${CONTRACT[side]}`;
  return [
    error(
      'contracts',
      finding,
      'run doctor again; if they still disagree, find the wrong node before you start the relayer',
    ),
  ];
}

const toText = (value: unknown) => (typeof value === 'bigint' ? value.toString() : value);

function checkSettings(side: Side, { wrongCode, settings }: ContractFacts): readonly Finding[] {
  const contract = CONTRACT[side];
  const findings = wrongCode.map((name) =>
    error(
      'contracts',
      `the code of ${name} differs from the compiled code`,
      'check ADDRESS_BOOK, and that this version matches the deployment',
    ),
  );
  for (const [name, { found, meant }] of Object.entries(settings)) {
    if (found === meant) continue;
    const finding = `the ${name} of ${contract} is ${found}, but ${meant} in the address book`;
    findings.push(error('contracts', finding, 'point ADDRESS_BOOK to the current file'));
  }
  return findings.length > 0 ? findings : [ok('contracts', `${contract}: code and settings match the address book`)];
}

function checkPauses(side: Side, { pausedBeginnings, pausedDeliveries }: ContractFacts): readonly Finding[] {
  const [beginnings, deliveries] = side === 'ethereum' ? ['deposits', 'releases'] : ['withdrawals', 'mints'];
  const paused = [...(pausedBeginnings ? [beginnings] : []), ...(pausedDeliveries ? [deliveries] : [])];
  if (paused.length === 0) return [ok('pauses', `${CONTRACT[side]}: nothing is paused`)];
  const finding = `${CONTRACT[side]}: ${paused.join(' and ')} are paused`;
  return [warning('pauses', finding, 'find out why; then causeway-admin unpause --direction both')];
}

/**
 * A threshold of at most half the set lets two halves sign different terms. Without an exchange no attester can sign.
 */
function checkThreshold(side: Side, { attesters }: ContractFacts, servesExchange: boolean): readonly Finding[] {
  const { members, threshold } = attesters;
  if (threshold === 0) return [];
  const asks = `${CONTRACT[side]} requires ${threshold} of ${members.length} attesters`;
  if (2 * threshold <= members.length)
    return [error('attesters', `${asks}, which is not a majority`, 'raise it (causeway-admin set-attesters)')];
  return servesExchange
    ? [ok('attesters', asks)]
    : [error('attesters', `${asks}, but this relayer serves no exchange`, 'set ATTEST_PORT')];
}

/** No account may hold two roles on either chain, so that a stolen key gives one role only. */
function checkKeys(facts: BothFacts, isLocal: boolean): readonly Finding[] {
  const roles = new Map<Address, Set<string>>();
  for (const side of SIDES) {
    const found = facts[side];
    for (const [role, account] of Object.entries(found?.roles ?? {})) {
      // A local deployment without a timelock has one account as admin and owner.
      if (role === 'owner' && found?.hasTimelock === false) continue;
      if (account !== undefined) roles.set(account, (roles.get(account) ?? new Set()).add(role.replace(/ \d+$/, '')));
    }
  }
  if (roles.size === 0) return [];
  const findings: Finding[] = [];
  for (const [account, held] of roles) {
    if (held.size < 2) continue;
    const finding = `${account} is ${[...held].join(' and ')}`;
    findings.push(
      error('keys', finding, 'give each role its own key (causeway-admin replace-guardian, rotate-relayer and others)'),
    );
  }
  for (const side of SIDES) {
    const found = facts[side];
    if (found === null) continue;
    const contract = CONTRACT[side];
    if (!found.hasTimelock && !isLocal)
      findings.push(error('keys', `the admin of ${contract} is not the timelock`, 'transfer it to the timelock'));
    if (found.hasTimelock && found.timelock !== found.roles['admin']) {
      const finding = `the Sentinel of ${contract} reads its offices from ${found.timelock}, which is not the admin`;
      findings.push(error('keys', finding, 'let the admin set a Sentinel that reads from it (setGuardian)'));
    }
    for (const office of found.formerRelayers) {
      const finding = `the ${office} of the timelock of ${contract} was once the relayer: its key may be stolen`;
      findings.push(error('keys', finding, `replace it (causeway-admin vote-replace --office ${office})`));
    }
    if (found.roles['standby'] === undefined && !isLocal) {
      const finding = `${contract} has no standby relayer`;
      findings.push(
        warning('keys', finding, 'announce one (causeway-admin set-standby): a stolen key is replaced faster'),
      );
    }
  }
  return findings.length > 0 ? findings : [ok('keys', 'every role has its own account')];
}

/** Checks which operations can begin and be delivered, and whether the other chain can deliver the largest one. */
function checkListings({ ethereum, partner }: BothFacts): readonly Finding[] {
  if (ethereum === null || partner === null) return [];
  const facts = { ethereum, partner };
  const findings: Finding[] = [];
  for (const asset of listAssets()) {
    for (const side of SIDES) {
      const { mayBegin, mayDeliver, maxAmount } = pickAsset(facts[side].listings, asset);
      const other = side === 'ethereum' ? 'partner' : 'ethereum';
      const { capacity } = pickAsset(facts[other].listings, asset);
      const where = `${asset} in ${CONTRACT[side]}`;
      const set = 'causeway-admin set-listing, if this is not intended';
      if (!mayBegin) findings.push(warning('listing', `${where}: new operations are disabled`, set));
      if (!mayDeliver) findings.push(warning('listing', `${where}: deliveries are disabled`, set));
      if (maxAmount <= capacity) continue;
      const finding =
        `${CONTRACT[side]} accepts ${formatAmount(asset, maxAmount)} ${asset}, ` +
        `but ${CONTRACT[other]} delivers at most ${formatAmount(asset, capacity)}`;
      findings.push(
        warning('listing', finding, 'lower the maximum (causeway-admin set-max-amount), or raise the limit'),
      );
    }
  }
  return findings.length > 0
    ? findings
    : [ok('listing', `${listAssets().join(', ')}: both directions, within the limits`)];
}
