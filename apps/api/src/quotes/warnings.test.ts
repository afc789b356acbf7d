import { describe, expect, it } from '@jest/globals';
import { anAddress, anAddressBook } from '@causeway/test-kit';
import { zeroAddress } from 'viem';
import { findWarnings, type AccountFacts, type PlannedTransfer, type TransferFacts } from './warnings.js';

const book = anAddressBook();
const [sender, recipient] = [anAddress(), anAddress()];
const transfer: PlannedTransfer = {
  token: 'USDC',
  direction: 'ETHEREUM_TO_PARTNER',
  amount: 25_000_000n,
  sender,
  recipient,
};
const account: AccountFacts = {
  recipientHasCode: false,
  balance: 25_000_000n,
  isRelayerWallet: false,
};
const contract = { ...account, recipientHasCode: true };
const facts = (over: Partial<TransferFacts> = {}): TransferFacts => ({
  origin: account,
  destination: account,
  ...over,
});
const FIELDS = { sender: 'sender', recipient: 'recipient' };
const warn = (over: Partial<PlannedTransfer>, of: TransferFacts = facts()) =>
  findWarnings(book, { ...transfer, ...over }, of, FIELDS);

describe('findWarnings', () => {
  it.each<[string, Partial<PlannedTransfer>, TransferFacts, string[]]>([
    ['nothing for accounts with keys', {}, facts(), []],
    ['nothing for a contract on both chains', {}, facts({ origin: contract, destination: contract }), []],
    ['nothing for a contract on the destination', {}, facts({ destination: contract }), []],
    ['nothing for accounts that are not named', { sender: null, recipient: null }, facts({ origin: null }), []],
    [
      'a contract without code at the destination',
      {},
      facts({ origin: contract }),
      ['RECIPIENT_HAS_NO_CODE recipient'],
    ],
    [
      'the same from the partner chain',
      { direction: 'PARTNER_TO_ETHEREUM', recipient: sender },
      facts({ origin: contract }),
      ['RECIPIENT_HAS_NO_CODE recipient'],
    ],
    ['BridgeMint', { recipient: book.partner.bridgeMint }, facts(), ['RECIPIENT_OF_BRIDGE recipient']],
    ['a token of the other chain', { recipient: book.ethereum.tokens.XCN }, facts(), ['RECIPIENT_OF_BRIDGE recipient']],
    [
      'a former wallet',
      {},
      facts({ destination: { ...account, isRelayerWallet: true } }),
      ['RECIPIENT_OF_BRIDGE recipient'],
    ],
    ['the zero address', { recipient: zeroAddress }, facts(), ['RECIPIENT_CANNOT_MOVE recipient']],
    ['a precompile', { recipient: `0x${'0'.repeat(37)}100` }, facts(), ['RECIPIENT_CANNOT_MOVE recipient']],
    ['the burn address', { recipient: `0x${'0'.repeat(36)}dead` }, facts(), ['RECIPIENT_CANNOT_MOVE recipient']],
    ['a balance one unit too low', { amount: 25_000_001n }, facts(), ['SENDER_CANNOT_PAY sender']],
    ['an unavailable origin', {}, facts({ origin: null }), ['NOT_CHECKED recipient', 'NOT_CHECKED sender']],
    ['an unavailable destination', {}, facts({ origin: contract, destination: null }), ['NOT_CHECKED recipient']],
    ['nothing for a key while the destination is unavailable', {}, facts({ destination: null }), []],
  ])('warns of %s', (_, over, of, expected) => {
    const warnings = warn(over, of);
    expect(warnings.map(({ code, field }) => `${code} ${field}`)).toEqual(expected);
    for (const { message } of warnings) expect(message).toMatch(/^\S.*\.$/);
  });

  it('formats amounts for people, and names the chain without code', () => {
    const [tooLittle] = warn({ amount: 30_500_000n });
    expect(tooLittle?.message).toBe('sender has 25 USDC on Ethereum, and the transfer takes 30.5 USDC.');
    const [missing] = warn({ direction: 'PARTNER_TO_ETHEREUM' }, facts({ origin: contract }));
    expect(missing?.message).toContain('is a contract on the partner chain and has no code on Ethereum');
  });
});
