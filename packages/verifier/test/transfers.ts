import { bridgedTokenAbi, bridgeLockAbi, bridgeMintAbi } from '@causeway/contracts/abi';
import { encodeFunctionData, keccak256, parseEventLogs, stringToHex, type Address, type Hex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { computeIntentId, computeRefundId } from '../src/index.js';
import type { Delivery, Intent, IntentDelivery, RefundItem, TransferOrigin } from '../src/index.js';
import { ALICE, MAXIMUM_FEE, RELAYER, type TestBridge } from './bridge.js';

const COIN: Address = '0x0000000000000000000000000000000000000000';

export type Mint = Extract<Delivery, { kind: 'MINT' }>;
export type Release = Extract<Delivery, { kind: 'RELEASE' }>;

/** Deposits as Alice for a recipient on the partner chain, and returns the resulting delivery. */
export async function deposit(
  { book, settings, send }: TestBridge,
  symbol: string,
  amount: bigint,
  recipient: Address = lower(ALICE.address),
): Promise<Mint> {
  const tokens = getTokens(settings, symbol);
  const isCoin = tokens.ethereum === COIN;
  const data = isCoin
    ? encodeFunctionData({ abi: bridgeLockAbi, functionName: 'depositNative', args: [recipient] })
    : encodeFunctionData({ abi: bridgeLockAbi, functionName: 'deposit', args: [tokens.ethereum, amount, recipient] });
  const receipt = await send('ethereum', ALICE, { to: book.ethereum.bridgeLock, data, value: isCoin ? amount : 0n });
  const [event] = parseEventLogs({ abi: bridgeLockAbi, eventName: 'Deposit', logs: receipt.logs });
  if (event === undefined) throw new Error('There is no deposit');
  const { blockNumber, transactionHash } = receipt;
  const { depositId: id, nonce: depositNonce } = event.args;
  const payment = { depositNonce, token: tokens.partner, recipient, amount };
  return { kind: 'MINT', id, origin: { blockNumber, transactionHash }, payment };
}

/** Withdraws as Alice: a burn of a token, or native XCN to BridgeMint. Returns the resulting delivery. */
export async function withdraw(
  { book, settings, send }: TestBridge,
  symbol: string,
  amount: bigint,
  destination: Address = lower(ALICE.address),
): Promise<Release> {
  const tokens = getTokens(settings, symbol);
  const abi = bridgeMintAbi;
  const isCoin = tokens.partner === COIN;
  const data = isCoin
    ? encodeFunctionData({ abi, functionName: 'withdrawNative', args: [destination, MAXIMUM_FEE] })
    : encodeFunctionData({ abi, functionName: 'burn', args: [tokens.partner, amount, destination, MAXIMUM_FEE] });
  const receipt = await send('partner', ALICE, { to: book.partner.bridgeMint, data, value: isCoin ? amount : 0n });
  const [event] = parseEventLogs({ abi, eventName: 'Withdraw', logs: receipt.logs });
  if (event === undefined) throw new Error('There is no withdrawal');
  const { blockNumber, transactionHash } = receipt;
  const { withdrawId: id, nonce: withdrawNonce, fee } = event.args;
  const payment = { withdrawNonce, token: tokens.ethereum, recipient: destination, amount: amount - fee, fee };
  return { kind: 'RELEASE', id, origin: { blockNumber, transactionHash }, payment };
}

/** Signs an intent of an account. */
export async function signIntent(
  { settings }: TestBridge,
  account: PrivateKeyAccount,
  terms: Partial<Intent> & Pick<Intent, 'amount'>,
  nonce = crypto.randomUUID(),
): Promise<Intent> {
  const address = lower(account.address);
  const deadline = BigInt(Math.floor(Date.now() / 1_000) + 86_400);
  const nonceHash = keccak256(stringToHex(nonce));
  const intent = { sender: address, recipient: address, deadline, nonceHash, ...terms };
  const signature = await account.sign({ hash: computeIntentId(settings.partner, intent) });
  return { ...intent, signature };
}

/** Pays native XCN to the relayer wallet or another address. */
export async function pay(
  { send }: TestBridge,
  account: PrivateKeyAccount,
  value: bigint,
  to: Address = RELAYER.address,
): Promise<TransferOrigin> {
  const { blockNumber, transactionHash } = await send('partner', account, { to, value });
  return { blockNumber, transactionHash, callIndex: 0 };
}

/** A transfer, with the amount that a sweep adds to the float for it. */
type SweptTransfer = Pick<TransferOrigin, 'transactionHash' | 'callIndex'> & { readonly amount: bigint };

/** Sweeps the coin of transfers into the float. */
export async function sweep(bridge: TestBridge, transfers: readonly SweptTransfer[]): Promise<void> {
  const swept = transfers.map((origin) => ({ transferId: computeTransferId(bridge, origin), amount: origin.amount }));
  const data = encodeFunctionData({ abi: bridgeMintAbi, functionName: 'sweep', args: [swept] });
  const value = transfers.reduce((sum, { amount }) => sum + amount, 0n);
  await bridge.send('partner', RELAYER, { to: bridge.book.partner.bridgeMint, data, value });
}

/** Pays native XCN to the relayer wallet as Alice, and sweeps the coin. */
export async function payAndSweep(bridge: TestBridge, amount: bigint): Promise<TransferOrigin> {
  const origin = await pay(bridge, ALICE, amount);
  await sweep(bridge, [{ ...origin, amount }]);
  return origin;
}

/** The release of an intent that a transfer pays, accepted in the block before. */
export function intentDelivery(
  { settings }: TestBridge,
  intent: Intent,
  origin: TransferOrigin,
  fee: bigint,
): IntentDelivery {
  const id = computeIntentId(settings.partner, intent);
  return { kind: 'INTENT', id, origin, intent, fee, judgedAtBlock: origin.blockNumber - 1n };
}

/** The id that a refund of a payment of coin would have. */
export function computeTransferId(
  { settings }: TestBridge,
  { transactionHash, callIndex }: Pick<TransferOrigin, 'transactionHash' | 'callIndex'>,
): Hex {
  return computeRefundId({ chainId: settings.partner.chainId, transactionHash, asset: 'XCN', callIndex });
}

/** Makes a delivery as the relayer, with the attester's consent. */
export async function deliver(bridge: TestBridge, item: Delivery): Promise<Hex> {
  const { book, send, attest } = bridge;
  const [lock, mint] = [book.ethereum.bridgeLock, book.partner.bridgeMint];
  if (item.kind === 'MINT') {
    const attestation = await attest('partner', { kind: 'MINT_MANY', payments: [item.payment] });
    const args = [[item.payment], attestation] as const;
    const data = encodeFunctionData({ abi: bridgeMintAbi, functionName: 'mintMany', args });
    return (await send('partner', RELAYER, { to: mint, data })).transactionHash;
  }
  if (item.kind === 'RELEASE') {
    const attestation = await attest('ethereum', { kind: 'RELEASE_MANY', payments: [item.payment] });
    const args = [[item.payment], attestation] as const;
    const data = encodeFunctionData({ abi: bridgeLockAbi, functionName: 'releaseMany', args });
    return (await send('ethereum', RELAYER, { to: lock, data })).transactionHash;
  }
  const { id: intentId, fee, intent } = item;
  const transferId = computeTransferId(bridge, item.origin);
  const { signature } = intent;
  const attestation = await attest('ethereum', { kind: 'RELEASE_INTENT', intentId, transferId, fee, signature });
  const args = [intent, transferId, fee, attestation] as const;
  const data = encodeFunctionData({ abi: bridgeLockAbi, functionName: 'releaseIntent', args });
  return (await send('ethereum', RELAYER, { to: lock, data })).transactionHash;
}

/** Pays a refund as the relayer, with the attester's consent. */
export async function payRefund(
  bridge: TestBridge,
  { id, wallet, token, recipient, amount }: Omit<RefundItem, 'arrival' | 'approval'>,
): Promise<void> {
  const call = { kind: 'REFUND', refundId: id, wallet, token, recipient, amount } as const;
  const attestation = await bridge.attest('partner', call);
  const abi = bridgeMintAbi;
  const data =
    token === COIN
      ? encodeFunctionData({ abi, functionName: 'refundNative', args: [id, recipient, attestation] })
      : encodeFunctionData({ abi, functionName: 'refund', args: [id, token, recipient, amount, attestation] });
  await bridge.send('partner', RELAYER, {
    to: bridge.book.partner.bridgeMint,
    data,
    value: token === COIN ? amount : 0n,
  });
}

/** Sends Alice's bridged tokens to the relayer wallet without a burn. */
export async function payTokens(
  { settings, send }: TestBridge,
  symbol: string,
  amount: bigint,
  to: Address = RELAYER.address,
): Promise<TransferOrigin> {
  const { partner } = getTokens(settings, symbol);
  const data = encodeFunctionData({ abi: bridgedTokenAbi, functionName: 'transfer', args: [to, amount] });
  const { blockNumber, transactionHash, logs } = await send('partner', ALICE, { to: partner, data });
  return { blockNumber, transactionHash, callIndex: logs[0]?.logIndex ?? 0 };
}

export function getTokens(settings: TestBridge['settings'], symbol: string) {
  const asset = settings.assets.find((each) => each.symbol === symbol);
  if (asset === undefined) throw new Error(`There is no asset ${symbol}`);
  return asset.tokens;
}

export function lower(address: Address): Address {
  return address.toLowerCase() as Address;
}
