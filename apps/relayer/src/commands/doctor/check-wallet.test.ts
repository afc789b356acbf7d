import { describe, expect, it } from '@jest/globals';
import { anAddress } from '@causeway/test-kit';
import { parseEther, parseGwei } from 'viem';
import { checkBalances, checkSigner } from './check-wallet.js';
import type { NodeFacts } from './node-facts.js';

const relayer = anAddress('relayer');
const maxFeePerGas = parseGwei('10');
// 150,000 gas at 10 gwei is 0.0015 of the coin.
const node = (balance: string, more: { readonly float?: string; readonly largest?: string } = {}) => {
  const { float = '100', largest = '100' } = more;
  const value = { float: parseEther(float), listings: { XCN: { maxAmount: parseEther(largest) } } };
  const wallet = { ok: true, value: { balance: parseEther(balance), maxFeePerGas } };
  return { wallet, contract: { ok: true, value } } as unknown as NodeFacts;
};
const gasReserve = { ethereum: parseEther('0.1'), partner: parseEther('10') };
const check = (ethereum: readonly NodeFacts[], partner: readonly NodeFacts[]) =>
  checkBalances({ ethereum, partner }, { relayer, gasReserve }).map(
    ({ severity, finding }) => `${severity} ${finding}`,
  );

describe('checkBalances', () => {
  it('accepts a wallet with gas and working balance, and a sufficient float', () => {
    expect(check([node('1')], [node('10')])).toEqual([
      'ok the wallet has 1 ETH on ethereum: gas for hundreds of deliveries',
      'ok the wallet has 10 XCN on partner: gas for hundreds of deliveries',
      'ok the float of BridgeMint is 100 XCN',
    ]);
  });

  it.each([
    ['0.01', '0.01', 'error the wallet has 0.01 ETH on ethereum: gas for 6 deliveries'],
    ['0.15', '0.15', 'warning the wallet has 0.15 ETH on ethereum: gas for 100 deliveries'],
  ])('counts the deliveries whose gas %s pays', (ethereum, partner, finding) => {
    const findings = check([node(ethereum)], [node(partner)]);
    expect(findings.slice(0, 2)).toEqual([finding, finding.replace('ETH', 'XCN').replace('ethereum', 'partner')]);
  });

  it('compares the balance with the working balance, and the float with the largest deposit', () => {
    expect(check([node('1', { largest: '500' })], [node('9')])).toEqual([
      expect.stringMatching(/^ok/),
      'warning the wallet has 9 XCN on partner, below WORKING_BALANCE_XCN (10)',
      'warning the float of BridgeMint is 100 XCN, but a deposit can be 500 XCN and would wait',
    ]);
  });

  it('uses the lowest of several answers, so that no node can hide a shortage', () => {
    const [ethereum, , float] = check([node('1'), node('0')], [node('10'), node('10', { float: '1' })]);
    expect(ethereum).toMatch(/^error the wallet has 0 ETH/);
    expect(float).toMatch(/^warning the float of BridgeMint is 1 XCN/);
  });

  it('reports that nothing was checked when no node is usable', () => {
    expect(check([], [])).toEqual([
      'error the wallet on ethereum was not checked: no node is usable',
      'error the wallet on partner was not checked: no node is usable',
    ]);
  });
});

describe('checkSigner', () => {
  it('reports warnings of the signer besides the result', () => {
    const signs = { ok: true, value: null } as const;
    expect(checkSigner({ kind: 'keystore', signs, warnings: ['a file is open'] }, relayer)).toMatchObject([
      { severity: 'warning', finding: 'a file is open' },
      { severity: 'ok', finding: `keystore: signs for ${relayer} on both chains` },
    ]);
    expect(checkSigner({ kind: 'kms', signs: { ok: false, reason: 'no' }, warnings: [] }, relayer)).toMatchObject([
      { severity: 'error', finding: 'kms: no' },
    ]);
  });
});
