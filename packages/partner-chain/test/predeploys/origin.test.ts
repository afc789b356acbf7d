import { expect, it } from '@jest/globals';
import {
  concat,
  domainSeparator,
  getContractAddress,
  keccak256,
  pad,
  recoverTransactionAddress,
  serializeTransaction,
  stringToHex,
  type Address,
  type Hex,
} from 'viem';
import { entryPoint06Address, entryPoint07Address, entryPoint08Address } from 'viem/account-abstraction';
import creations from './creations.json' with { type: 'json' };
import {
  CREATE2_DEPLOYER,
  CREATE_X,
  ERC1820,
  getPredeployedCode,
  MULTICALL3,
  PERMIT2,
  SAFE_FACTORY,
  SENDER_CREATOR_06,
  SENDER_CREATOR_07,
  SENDER_CREATOR_08,
} from './calls.js';

// Creation code is a prelude plus the runtime code with unset immutables. If it leads to the address, by CREATE2 or by
// the signature of its transaction, the runtime code is Ethereum's.

const SALT_07 = '0x90d8084deab30c2a37c45e8d47f49f2f7965183cb6990a98943ef94940681de3';
const SALT_08 = '0x0a59dbff790c23c976a548690c27297883cc66b4c67024f9117b0238995e35e9';
const ERC4337_DOMAIN = { name: 'ERC4337', version: '1', chainId: 1, verifyingContract: entryPoint08Address };

/** The words that EntryPoint 0.8's constructor wrote into its code on chain 1. */
const IMMUTABLES_08: readonly Hex[] = [
  SENDER_CREATOR_08,
  entryPoint08Address,
  '0x01',
  makeShortString('ERC4337'),
  makeShortString('1'),
  keccak256(stringToHex('ERC4337')),
  keccak256(stringToHex('1')),
  domainSeparator({ domain: ERC4337_DOMAIN }),
];

/** Encodes text of at most 31 bytes in a word, with its length in the last byte. */
function makeShortString(text: string): Hex {
  return concat([pad(stringToHex(text), { size: 31, dir: 'right' }), `0x${text.length.toString(16).padStart(2, '0')}`]);
}

/** Replaces these immutables in the code, each after a PUSH32, with the compiler's zeros. */
function unsetImmutables(address: Address, immutables: readonly Hex[]): Hex {
  return immutables.reduce<string>(
    (code, value) => code.replaceAll(`7f${pad(value, { size: 32 }).slice(2).toLowerCase()}`, `7f${'0'.repeat(64)}`),
    getPredeployedCode(address),
  ) as Hex;
}

it.each<[string, Address, Hex]>([
  ['CREATE2 deployer', CREATE2_DEPLOYER, '0x2fa86add0aed31f33a762c9d88e807c475bd51d0f52bd0955754b2608f7e4989'],
  ['Permit2', PERMIT2, '0xc67d1657868aa5146eaf24fb879fb1fdec3d2d493b3683a61c9c2f4fb2851131'],
  ['EntryPoint 0.6', entryPoint06Address, '0xc93c806e738300b5357ecdc2e971d6438d34d8e4e17b99b758b1f9cac91c8e70'],
  ['EntryPoint 0.7', entryPoint07Address, '0x8db5ff695839d655407cc8490bb7a5d82337a86a6b39c3f0258aa6c3b582fc58'],
  ['EntryPoint 0.8', entryPoint08Address, '0x44e632a24c6f2600cbd5b5b8b4c2d372359112c8b5774297f5fd0a9e64f11f86'],
  ['ERC-1820 registry', ERC1820, '0xf0aa940bb32e37c5f7268b53acc48c7cdd148cd0fc196f30faa00a4d66c0443a'],
  ['CreateX', CREATE_X, '0xbd8a7ea8cfca7b4e5f5041d7d4b17bc317c5ce42cfbc42066a00cf26b43eb53f'],
  ['Safe singleton factory', SAFE_FACTORY, '0x2fa86add0aed31f33a762c9d88e807c475bd51d0f52bd0955754b2608f7e4989'],
])('%s has the code of Ethereum', (_, address, codeHash) => {
  expect(keccak256(getPredeployedCode(address))).toBe(codeHash);
});

it('Multicall3 has the code of Ethereum except for the balance in wei', () => {
  const inWei = `316402540be400029056${'fe'.repeat(15)}`;
  const parts = getPredeployedCode(MULTICALL3).split(inWei);
  expect(parts).toHaveLength(2);
  const original = parts.join(`73${'ff'.repeat(20)}16319056`) as Hex;
  expect(keccak256(original)).toBe('0xd5c15df687b16f2ff992fc8d767b4216323184a2bbc6ee2f9c398c318e770891');
});

it.each([
  {
    name: 'EntryPoint 0.6',
    address: entryPoint06Address,
    salt: pad('0x', { size: 32 }),
    creation: creations.entryPoint06,
    immutables: [SENDER_CREATOR_06],
    child: SENDER_CREATOR_06,
  },
  {
    name: 'EntryPoint 0.7',
    address: entryPoint07Address,
    salt: SALT_07,
    creation: creations.entryPoint07,
    immutables: [SENDER_CREATOR_07],
    child: SENDER_CREATOR_07,
  },
  {
    name: 'EntryPoint 0.8',
    address: entryPoint08Address,
    salt: SALT_08,
    creation: creations.entryPoint08,
    immutables: IMMUTABLES_08,
    child: SENDER_CREATOR_08,
  },
] as const)('the code of $name and of its SenderCreator leads to their addresses', (entryPoint) => {
  const { address, salt, creation, immutables, child } = entryPoint;
  const bytecode = concat([
    creation.prelude as Hex,
    unsetImmutables(address, immutables),
    creation.childPrelude as Hex,
    unsetImmutables(child, [address]),
  ]);
  expect(getContractAddress({ opcode: 'CREATE2', from: CREATE2_DEPLOYER, salt, bytecode })).toBe(address);
  expect(getContractAddress({ from: address, nonce: 1n })).toBe(child);
});

it.each([
  {
    name: 'ERC-1820 registry',
    address: ERC1820,
    creation: creations.erc1820Registry,
    gas: 800_000n,
    signature: { v: 27n, r: `0x${'1820'.repeat(16)}`, s: `0x${'1820'.repeat(16)}` },
  },
  {
    name: 'CreateX',
    address: CREATE_X,
    creation: creations.createX,
    gas: 3_000_000n,
    signature: {
      v: 28n,
      r: '0x05f70bf8a1493291468f36ef23b05eb3a4f1807f6b4022942a4104b7537bfc36',
      s: '0x29528c0c29546c81e7d78b0277ef87031541bdc96427b246ecedb6d74cd3ed62',
    },
  },
  {
    name: 'Safe singleton factory',
    address: SAFE_FACTORY,
    creation: creations.safeSingletonFactory,
    gas: 100_000n,
    chainId: 1,
    signature: {
      v: 38n,
      r: '0xb1fd9f4102283a663738983f1aac789e979e220a1b649faa74033f507b911af5',
      s: '0x61dd0f2f6f2341ee95913cf94b3b8a49cac9fdd7be6310da7acd7a96e31958d7',
    },
  },
] as const)('the transaction that deployed the $name elsewhere carried its code', async (deployment) => {
  const { address, creation, gas, signature } = deployment;
  const data = concat([creation.prelude as Hex, unsetImmutables(address, [address])]);
  const chain = 'chainId' in deployment ? { chainId: deployment.chainId } : {};
  const transaction = { type: 'legacy', nonce: 0, gas, gasPrice: 10n ** 11n, data, ...chain } as const;
  const serializedTransaction = serializeTransaction(transaction, signature);
  const from = await recoverTransactionAddress({ serializedTransaction });
  expect(getContractAddress({ from, nonce: 0n })).toBe(address);
});
