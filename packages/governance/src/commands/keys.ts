import { parseAttesterProof, type AttesterProof } from '@causeway/protocol/attest';
import type { Address } from 'viem';
import { defineCommand, type AdminCommand } from './command.js';
import {
  replaceGuardian,
  replacePolicyManager,
  setAttesters,
  setPauser,
  setStandby,
  setTreasury,
} from '../plans/keys.js';
import { account, accountOrNone, chainOption, chosen, parseAccount, value, withoutChanges } from './options.js';
import { activateStandby, rotateRelayer } from '../plans/relayer.js';

/** The commands that replace keys. */
export const KEY_COMMANDS: readonly AdminCommand[] = [
  defineCommand({
    name: 'rotate-relayer',
    description: 'replaces the relayer on both chains and in the address book',
    role: 'admin',
    options: { to: account('the new relayer wallet'), chain: chainOption },
    needsConfirmation: false,
    recordsRelayer: true,
    plan: ({ to, chain }) => ({
      chains: chosen(chain),
      plan: async (book, clients) => withoutChanges(await rotateRelayer(book, to, clients)),
    }),
  }),
  defineCommand({
    name: 'activate-standby',
    description: 'makes the announced standby the relayer, on each chain that allows it, and in the address book',
    role: 'guardian',
    options: { chain: chainOption },
    isWorthHalf: true,
    needsConfirmation: false,
    recordsRelayer: true,
    plan: ({ chain }) => ({
      chains: chosen(chain),
      plan: (book) => withoutChanges(activateStandby(book)),
      fromBook: activateStandby,
    }),
  }),
  defineCommand({
    name: 'set-standby',
    description: 'announces the relayer that the guardian may activate once',
    role: 'admin',
    options: { to: accountOrNone('the standby wallet; "none" withdraws it'), chain: chainOption },
    plan: ({ to, chain }) => ({
      chains: chosen(chain),
      plan: async (book, clients) => setStandby(book, to, clients),
    }),
  }),
  defineCommand({
    name: 'set-attesters',
    description: 'replaces the attester set, which voids its attestations',
    role: 'admin',
    options: {
      attesters: value('addresses', 'at most 9, separated by commas, in any order; or "none"', addresses),
      threshold: value('number', 'signatures that a call needs to move value', count),
      proofs: {
        ...value('proofs', 'the output of "attester prove" on each of their machines, separated by commas', readProofs),
        fallback: 'none',
      },
      chain: chainOption,
    },
    plan: ({ chain, ...set }) => ({
      chains: chosen(chain),
      plan: async (book, clients) => setAttesters(book, set, clients),
    }),
  }),
  defineCommand({
    name: 'replace-guardian',
    description: "replaces the account of the guardian's office, and revokes its pausers",
    role: 'admin',
    options: { to: account('the new guardian'), chain: chainOption },
    plan: ({ to, chain }) => ({
      chains: chosen(chain),
      plan: async (book, clients) => replaceGuardian(book, to, clients),
    }),
  }),
  defineCommand({
    name: 'add-pauser',
    description: 'lets an account pause both directions; it gets no other right',
    role: 'guardian',
    options: { pauser: account('the account; its key may be on an online machine'), chain: chainOption },
    plan: ({ pauser, chain }) => ({
      chains: chosen(chain),
      plan: async (book, clients) => setPauser(book, { pauser, mayPause: true }, clients),
    }),
  }),
  defineCommand({
    name: 'remove-pauser',
    description: "revokes an account's right to pause",
    role: 'guardian',
    options: { pauser: account('the account'), chain: chainOption },
    plan: ({ pauser, chain }) => ({
      chains: chosen(chain),
      plan: async (book, clients) => setPauser(book, { pauser, mayPause: false }, clients),
    }),
  }),
  defineCommand({
    name: 'replace-policy-manager',
    description: 'replaces the policy manager',
    role: 'admin',
    options: { to: account('the new policy manager'), chain: chainOption },
    plan: ({ to, chain }) => ({
      chains: chosen(chain),
      plan: async (book, clients) => replacePolicyManager(book, to, clients),
    }),
  }),
  defineCommand({
    name: 'set-treasury',
    description: 'replaces the account that receives the collected fees',
    role: 'admin',
    options: { to: account('the new treasury') },
    plan: ({ to }) => ({
      chains: ['ethereum'],
      plan: async (book, clients) => setTreasury(book, to, clients),
    }),
  }),
];

function addresses(text: string): readonly Address[] {
  return text === 'none' ? [] : text.split(',').map((one) => parseAccount(one.trim()));
}

function readProofs(text: string): readonly AttesterProof[] {
  if (text === 'none') return [];
  return text.split(',').map((word) => {
    const proof = parseAttesterProof(word);
    if (proof === null)
      throw new Error(`has a value that "attester prove" does not print: ${word.trim().slice(0, 60)}`);
    return proof;
  });
}

function count(text: string): number {
  if (!/^\d$/.test(text)) throw new Error('must be a number from 0 to 9');
  return Number(text);
}
