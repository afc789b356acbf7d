import { getAddress } from 'viem';
import { defineAction, TWO_SIGNATURES } from './action.js';
import { NONE, NOTHING_PAID } from './words.js';

const ROLES = { viewer: 'a viewer', operator: 'an operator', admin: 'an admin' } as const;

/** Adds a member to the allow-list or changes a role. */
export const MEMBER_SET = defineAction({
  fields: ['address', 'role'],
  about: 'member',
  effect: 'Adds a member to the console or changes a role.',
  command: null,
  role: 'admin',
  signatures: TWO_SIGNATURES,
  title: () => 'Set a member',
  validate: ({ address, role }, on) =>
    on.about === 'member' && on.role === role ? `${address} has the role ${on.role} already` : null,
  words: ({ address, role }) => ({
    action: `Make ${getAddress(address)} ${ROLES[role]} of the console`,
    ...NOTHING_PAID,
    chain: NONE,
  }),
});

/** Removes a member added by a request. */
export const MEMBER_REMOVE = defineAction({
  fields: ['address'],
  about: 'member',
  effect: 'Removes a member added by a request and ends the sessions of that member.',
  command: null,
  role: 'admin',
  isDanger: true,
  signatures: TWO_SIGNATURES,
  title: () => 'Remove a member',
  validate: ({ address }, on) => (on.about === 'member' && on.role === null ? `No request has added ${address}` : null),
  words: ({ address }) => ({
    action: `Remove ${getAddress(address)} from the console`,
    ...NOTHING_PAID,
    chain: NONE,
  }),
});
