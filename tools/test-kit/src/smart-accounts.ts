import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  concatHex,
  encodeDeployData,
  encodeFunctionData,
  type Abi,
  type Account,
  type Address,
  type Chain,
  type Hex,
  type LocalAccount,
  type PrivateKeyAccount,
  type PublicClient,
  type TransactionReceipt,
  type Transport,
  type WalletClient,
} from 'viem';
import {
  entryPoint07Abi,
  entryPoint07Address,
  getUserOperationHash,
  toPackedUserOperation,
} from 'viem/account-abstraction';
import { workspaceRoot } from './workspace.js';

/** A contract of `contracts/test/accounts`. */
type AccountContract =
  | 'OwnedAccount'
  | 'OwnedAccountFactory'
  | 'MultiSigAccount'
  | 'AnsweringAccount'
  | 'RevertingAccount'
  | 'LoopingAccount'
  | 'BombingAccount'
  | 'LegacyAccount'
  | 'Forwarder'
  | 'Payout';

/** An undeployed ERC-4337 account with a known address, and what its deployment needs. */
export interface OwnedAccount {
  readonly address: Address;
  readonly owner: LocalAccount;
  readonly factory: Address;
  readonly factoryData: Hex;
}

/** A call that a smart account makes. `value` in wei. */
interface AccountCall {
  readonly to: Address;
  readonly value: bigint;
}

/** Enough for every step of a user operation of these accounts. */
const OPERATION_GAS = 2_000_000n;
/** In EVM units. The bundler is repaid little. */
const GAS_PRICE = 1n;

/** Deploys smart accounts on a chain, and sends their user operations to EntryPoint 0.7 like a bundler. */
export class SmartAccounts {
  private factory: Promise<Address> | null = null;

  /**
   * @param wallet pays all gas and funds.
   * @param weiPerUnit JSON-RPC wei per EVM unit: 10^10 on the partner chain.
   */
  constructor(
    private readonly client: PublicClient,
    private readonly wallet: WalletClient<Transport, Chain, Account>,
    private readonly weiPerUnit = 1n,
  ) {}

  /** Deploys a contract of `contracts/test/accounts`. */
  async deploy(name: AccountContract, args: readonly unknown[] = []): Promise<Address> {
    const { abi, bytecode } = readArtifact(name);
    const data = encodeDeployData({ abi, bytecode, args });
    const { contractAddress } = await this.mined(this.wallet.sendTransaction({ data }));
    if (!contractAddress) throw new Error(`${name} was not deployed`);
    return contractAddress;
  }

  /** Computes the address of an undeployed account. */
  async ownedBy(owner: LocalAccount, salt = 0n): Promise<OwnedAccount> {
    this.factory ??= this.deploy('OwnedAccountFactory', [entryPoint07Address]);
    const factory = await this.factory;
    const { abi } = readArtifact('OwnedAccountFactory');
    const args = [owner.address, salt];
    const address = await this.client.readContract({ address: factory, abi, functionName: 'getAddress', args });
    const factoryData = encodeFunctionData({ abi, functionName: 'createAccount', args });
    return { address: (address as Address).toLowerCase() as Address, owner, factory, factoryData };
  }

  /** Sends calls of accounts in one bundle. An undeployed account is deployed by its operation. */
  async handleOps(calls: readonly { readonly account: OwnedAccount; readonly call: AccountCall }[]) {
    const operations = await Promise.all(calls.map(({ account, call }) => this.signedOperation(account, call)));
    const [beneficiary] = await this.wallet.getAddresses();
    return this.mined(
      this.wallet.writeContract({
        address: entryPoint07Address,
        abi: entryPoint07Abi,
        functionName: 'handleOps',
        args: [operations, beneficiary as Address],
      }),
    );
  }

  /** Makes a `MultiSigAccount` pay with both owners' signatures. `value` in wei. */
  async executeSigned(address: Address, owners: readonly PrivateKeyAccount[], { to, value }: AccountCall) {
    const { abi } = readArtifact('MultiSigAccount');
    const payment = [to, value / this.weiPerUnit] as const;
    const hash = await this.client.readContract({ address, abi, functionName: 'transactionHash', args: payment });
    const signatures = concatHex(await Promise.all(owners.map((owner) => owner.sign({ hash: hash as Hex }))));
    const args = [...payment, signatures];
    return this.mined(this.wallet.writeContract({ address, abi, functionName: 'execute', args }));
  }

  /** Makes a `Payout` contract pay an address several times in one transaction. `amount` in wei. */
  async payOut(payout: Address, to: Address, amount: bigint, times: number): Promise<TransactionReceipt> {
    const { abi } = readArtifact('Payout');
    const args = [to, amount / this.weiPerUnit, times];
    const value = amount * BigInt(times);
    return this.mined(this.wallet.writeContract({ address: payout, abi, functionName: 'pay', args, value }));
  }

  /** Pays wei without a call: a contract self-destructs in its deployment. */
  async bequeath(heir: Address, value: bigint): Promise<TransactionReceipt> {
    // PUSH20 heir, SELFDESTRUCT.
    return this.mined(this.wallet.sendTransaction({ data: concatHex(['0x73', heir, '0xff']), value }));
  }

  /** Sends native coin, in wei. */
  async fund(to: Address, value: bigint): Promise<TransactionReceipt> {
    return this.mined(this.wallet.sendTransaction({ to, value }));
  }

  /** Delegates an account with a key to a contract's code (EIP-7702). The zero address ends it. */
  async delegate(authority: LocalAccount, contractAddress: Address, nonce = 0): Promise<void> {
    const chainId = this.wallet.chain.id;
    const authorization = await authority.signAuthorization?.({ chainId, contractAddress, nonce });
    if (authorization === undefined) throw new Error(`${authority.address} cannot sign authorizations`);
    await this.mined(
      this.wallet.sendTransaction({
        to: this.wallet.account.address,
        authorizationList: [authorization],
        gas: 200_000n,
      }),
    );
  }

  private async signedOperation({ address, owner, factory, factoryData }: OwnedAccount, { to, value }: AccountCall) {
    const isDeployed = (await this.client.getCode({ address })) !== undefined;
    const { abi } = readArtifact('OwnedAccount');
    const unsigned = {
      sender: address,
      nonce: await this.client.readContract({
        address: entryPoint07Address,
        abi: entryPoint07Abi,
        functionName: 'getNonce',
        args: [address, 0n],
      }),
      ...(isDeployed ? {} : { factory, factoryData }),
      callData: encodeFunctionData({ abi, functionName: 'execute', args: [to, value / this.weiPerUnit, '0x'] }),
      callGasLimit: OPERATION_GAS,
      verificationGasLimit: OPERATION_GAS,
      preVerificationGas: OPERATION_GAS / 10n,
      maxFeePerGas: GAS_PRICE,
      maxPriorityFeePerGas: GAS_PRICE,
      signature: '0x' as Hex,
    };
    const hash = getUserOperationHash({
      chainId: this.wallet.chain.id,
      entryPointAddress: entryPoint07Address,
      entryPointVersion: '0.7',
      userOperation: unsigned,
    });
    const signature = await owner.signMessage({ message: { raw: hash } });
    return toPackedUserOperation({ ...unsigned, signature });
  }

  private async mined(sent: Promise<Hex>): Promise<TransactionReceipt> {
    const receipt = await this.client.waitForTransactionReceipt({ hash: await sent });
    if (receipt.status !== 'success') throw new Error(`${receipt.transactionHash} reverted`);
    return receipt;
  }
}

function readArtifact(name: AccountContract): { readonly abi: Abi; readonly bytecode: Hex } {
  const file = join(workspaceRoot(), 'contracts/generated/test-accounts.json');
  const artifacts = JSON.parse(readFileSync(file, 'utf8')) as Record<AccountContract, { abi: Abi; bytecode: Hex }>;
  return artifacts[name];
}
