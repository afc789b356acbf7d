import { formatAmount, listAssets, pickAsset, type Side } from '@causeway/protocol';
import type { Address } from 'viem';
import type { ContractFacts } from './contract-facts.js';
import { error, ok, warning, type Fact } from '@causeway/service/doctor';
import type { Finding } from './finding.js';

/** The facts that each usable node of a chain reports of the bridge contract there. */
export type ContractAnswers = Readonly<
  Record<Side, readonly { readonly name: string; readonly contract: Fact<ContractFacts> }[]>
>;

const CONTRACT = { ethereum: 'BridgeLock', partner: 'BridgeMint' } as const;
const SIDES = ['ethereum', 'partner'] as const;

/**
 * Judges the contracts: nodes must agree on them; then code and settings are compared with the address book, the keys
 * with each other, and the limits of both chains.
 *
 * @param servesExchange whether attesters can dial this relayer.
 */
export function checkContracts(
  answers: ContractAnswers,
  isLocal: boolean,
  servesExchange: boolean,
): readonly Finding[] {
  const facts = { ethereum: firstFacts(answers.ethereum), partner: firstFacts(answers.partner) };
  const findings = SIDES.flatMap((side) => {
    const unread = answers[side].flatMap(({ name, contract }) =>
      // The check of the nodes names those that limit this process.
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
      const noNode = error(
        'contracts',
        `${CONTRACT[side]} was not checked: no node can be used`,
        'repair a node first',
      );
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

/** The float moves from block to block; everything else changes rarely. */
function checkAgreement(side: Side, answers: ContractAnswers): readonly Finding[] {
  const texts = answers[side].flatMap(({ contract }) =>
    contract.ok ? [JSON.stringify({ ...contract.value, float: null }, (_, value: unknown) => toText(value))] : [],
  );
  if (new Set(texts).size <= 1) return [];
  const finding = `the nodes of ${side} disagree on ${CONTRACT[side]}`;
  return [
    error('contracts', finding, 'run doctor again; if they still disagree, one lies: do not start before you know'),
  ];
}

const toText = (value: unknown) => (typeof value === 'bigint' ? value.toString() : value);

function checkSettings(side: Side, { wrongCode, settings }: ContractFacts): readonly Finding[] {
  const contract = CONTRACT[side];
  const findings = wrongCode.map((name) =>
    error(
      'contracts',
      `the code of ${name} is not the compiled one`,
      'check ADDRESS_BOOK, and that this version fits the deployment',
    ),
  );
  for (const [name, { found, meant }] of Object.entries(settings)) {
    if (found === meant) continue;
    const finding = `the ${name} of ${contract} is ${found}, and ${meant} in the address book`;
    findings.push(error('contracts', finding, 'point ADDRESS_BOOK to the current file'));
  }
  return findings.length > 0 ? findings : [ok('contracts', `${contract}: code and settings fit the address book`)];
}

function checkPauses(side: Side, { pausedBeginnings, pausedDeliveries }: ContractFacts): readonly Finding[] {
  const [beginnings, deliveries] = side === 'ethereum' ? ['deposits', 'releases'] : ['withdrawals', 'mints'];
  const paused = [...(pausedBeginnings ? [beginnings] : []), ...(pausedDeliveries ? [deliveries] : [])];
  if (paused.length === 0) return [ok('pauses', `${CONTRACT[side]}: nothing is paused`)];
  const finding = `${CONTRACT[side]}: ${paused.join(' and ')} are paused`;
  return [warning('pauses', finding, 'find out why; then causeway-admin unpause --direction both')];
}

/** A threshold of half of the set lets two halves sign different terms; without an exchange none is asked. */
function checkThreshold(side: Side, { attesters }: ContractFacts, servesExchange: boolean): readonly Finding[] {
  const { members, threshold } = attesters;
  if (threshold === 0) return [];
  const asks = `${CONTRACT[side]} asks ${threshold} of ${members.length} attesters`;
  if (2 * threshold <= members.length)
    return [error('attesters', `${asks}: that is not more than half`, 'raise it (causeway-admin set-attesters)')];
  return servesExchange
    ? [ok('attesters', asks)]
    : [error('attesters', `${asks}, and this relayer serves no exchange`, 'set ATTEST_PORT')];
}

/** No account holds two roles, on either chain: a stolen key must not be two. */
function checkKeys(facts: BothFacts, isLocal: boolean): readonly Finding[] {
  const roles = new Map<Address, Set<string>>();
  for (const side of SIDES) {
    const found = facts[side];
    for (const [role, account] of Object.entries(found?.roles ?? {})) {
      // A local deployment without a timelock before the contracts has one account as admin and owner.
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
      findings.push(error('keys', `the admin of ${contract} is not the timelock`, 'hand it over to the timelock'));
    if (found.hasTimelock && found.timelock !== found.roles['admin']) {
      const finding = `the guardian of ${contract} reads the offices of ${found.timelock}, which is not its admin`;
      findings.push(error('keys', finding, 'let the admin set a Sentinel of its own (setGuardian)'));
    }
    for (const office of found.formerRelayers) {
      const finding = `${office} of the timelock of ${contract} was the relayer: its key may be stolen`;
      findings.push(error('keys', finding, `replace it (causeway-admin vote-replace --office ${office})`));
    }
    if (found.mayPause === false) {
      const finding = `the pauser of this relayer may not pause ${contract}`;
      findings.push(
        error('keys', finding, 'let the guardian add it (causeway-admin add-pauser), or unset PAUSER_KEYSTORE'),
      );
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

/** Checks which operations may begin and be delivered, and whether the other chain can deliver the largest one. */
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
      const set = 'causeway-admin set-listing, if that is not meant';
      if (!mayBegin) findings.push(warning('listing', `${where}: nothing may begin`, set));
      if (!mayDeliver) findings.push(warning('listing', `${where}: nothing may be delivered`, set));
      if (maxAmount <= capacity) continue;
      const finding =
        `${CONTRACT[side]} accepts ${formatAmount(asset, maxAmount)} ${asset}, ` +
        `but ${CONTRACT[other]} delivers ${formatAmount(asset, capacity)} at most`;
      findings.push(
        warning('listing', finding, 'lower the maximum (causeway-admin set-max-amount), or raise the limit'),
      );
    }
  }
  return findings.length > 0
    ? findings
    : [ok('listing', `${listAssets().join(', ')}: both directions, within the limits`)];
}
