import { bytesToHex, type Address, type Hex } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';

/** The mnemonic of all development nodes. Its accounts must never hold value on a public chain. */
const MNEMONIC = 'test test test test test test test test test test test junk';

/** An account whose key is public. */
export interface TestAccount {
  readonly address: Address;
  readonly privateKey: Hex;
}

/**
 * The accounts of an environment by role. The deployer is the admin. No account has two roles in the contracts. In the
 * console, deployer and treasury are admins, the auditor is a viewer, the pauser has no role, and the others are
 * operators.
 */
export interface TestAccounts {
  readonly deployer: TestAccount;
  readonly relayer: TestAccount;
  readonly guardian: TestAccount;
  /** The third office of the admin's timelock. */
  readonly recovery: TestAccount;
  /** The relayer's watch pauses with this account. */
  readonly pauser: TestAccount;
  readonly treasury: TestAccount;
  readonly policyManager: TestAccount;
  /** Two operators who decide on requests. */
  readonly firstOperator: TestAccount;
  readonly secondOperator: TestAccount;
  /** Reads the console only. */
  readonly auditor: TestAccount;
  /** Two users with money on both chains. */
  readonly alice: TestAccount;
  readonly bob: TestAccount;
}

/** The accounts of every environment: the first twelve of the mnemonic. */
export function testAccounts(): TestAccounts {
  return {
    deployer: account(0),
    relayer: account(1),
    guardian: account(2),
    treasury: account(3),
    alice: account(4),
    bob: account(5),
    policyManager: account(6),
    firstOperator: account(7),
    secondOperator: account(8),
    auditor: account(9),
    recovery: account(10),
    pauser: account(11),
  };
}

/** Alice's smart account, in the genesis of the partner chain. */
export const SMART_ACCOUNT = '0xa11ce00000000000000000000000000000000001';

/** The wallet of the faucet: the thirteenth account, which has no other use. */
export function faucetAccount(): TestAccount {
  return account(12);
}

/** The accounts of attesters, which follow that of the faucet. */
export function attesterAccounts(count: number): readonly TestAccount[] {
  return Array.from({ length: count }, (_, index) => account(13 + index));
}

function account(addressIndex: number): TestAccount {
  const derived = mnemonicToAccount(MNEMONIC, { addressIndex });
  const key = derived.getHdKey().privateKey;
  if (key === null) throw new Error(`The mnemonic has no private key for account ${addressIndex}`);
  return { address: derived.address, privateKey: bytesToHex(key) };
}
