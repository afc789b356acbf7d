import { bytesToHex, type Address, type Hex } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';

/** The mnemonic that every development node knows. Worth nothing anywhere else. */
const MNEMONIC = 'test test test test test test test test test test test junk';

/** An account whose key everybody knows. */
export interface TestAccount {
  readonly address: Address;
  readonly privateKey: Hex;
}

/** Who is who in a test world. */
export interface TestAccounts {
  readonly deployer: TestAccount;
  readonly relayer: TestAccount;
  readonly guardian: TestAccount;
  readonly treasury: TestAccount;
  /** Two users with money on both chains. */
  readonly alice: TestAccount;
  readonly bob: TestAccount;
}

/** The accounts of a test world, the same every time. */
export function testAccounts(): TestAccounts {
  return {
    deployer: account(0),
    relayer: account(1),
    guardian: account(2),
    treasury: account(3),
    alice: account(4),
    bob: account(5),
  };
}

function account(addressIndex: number): TestAccount {
  const derived = mnemonicToAccount(MNEMONIC, { addressIndex });
  const key = derived.getHdKey().privateKey;
  if (key === null) throw new Error('The mnemonic gives no private key');
  return { address: derived.address, privateKey: bytesToHex(key) };
}
