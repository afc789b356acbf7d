import { randomUUID } from 'node:crypto';
import { getToken, intentDomain, parseAmount, xcnWithdrawIntentTypes } from '@causeway/protocol';
import type { Fleet } from '@causeway/testbed/services';
import { encodeFunctionData, erc20Abi, type Hex } from 'viem';

/** A request that must always be answered, and a check of the answer. */
export interface FleetRequest {
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null for a GET. */
  readonly body: string | null;
  /** Returns the fault in an answer with status 200; null without one. */
  readonly findFault: (body: string) => string | null;
}

const JSON_TYPE = { 'content-type': 'application/json' };
/** The same intents are sent repeatedly, and each stays one intent. A sender can have at most 100. */
const INTENTS = 5;
const INTENT_SECONDS = 3_000;
const AMOUNT = parseAmount('XCN', '5100');

/**
 * Prepares client requests by their share of the traffic: reads of the API, intents, and calls of the partner chain.
 *
 * @param originTxHash transaction of an operation to query.
 */
export async function prepareRequests(fleet: Fleet, originTxHash: Hex): Promise<readonly FleetRequest[]> {
  const { address } = fleet.accounts.alice;
  const quote = 'token=USDC&amount=100&direction=PARTNER_TO_ETHEREUM';
  const reads = [
    read(fleet, `/bridge/status?originTxHash=${originTxHash}`),
    read(fleet, '/bridge/config'),
    read(fleet, '/bridge/limits'),
    read(fleet, `/bridge/fee-quote?${quote}`),
    read(fleet, `/bridge/history?address=${address}&limit=10`),
  ];
  const latest = [address, 'latest'];
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [address] });
  const calls = [
    call(fleet, 'eth_blockNumber', []),
    call(fleet, 'eth_getBalance', latest),
    call(fleet, 'eth_getTransactionCount', latest),
    call(fleet, 'eth_call', [{ to: getToken(fleet.book, 'partner', 'USDC'), data }, 'latest']),
    call(fleet, 'eth_getBlockByNumber', ['latest', false]),
  ];
  const run = randomUUID();
  const intents = await Promise.all(
    Array.from({ length: INTENTS }, async (_, index) => intent(fleet, `${run}-${index}`)),
  );
  // One request in eleven is an intent.
  return intents.flatMap((each) => [...reads, ...calls, each]);
}

function read({ apiUrl }: Fleet, path: string): FleetRequest {
  const name = `GET ${path.split('?')[0]}`;
  return { name, url: `${apiUrl}/api/v1${path}`, headers: {}, body: null, findFault: () => null };
}

function call({ gatewayUrl, gatewayKey }: Fleet, method: string, params: readonly unknown[]): FleetRequest {
  return {
    name: method,
    url: gatewayUrl,
    headers: { ...JSON_TYPE, authorization: gatewayKey.authorization },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    findFault: (body) => ('result' in (JSON.parse(body) as object) ? null : body),
  };
}

async function intent(fleet: Fleet, nonce: string): Promise<FleetRequest> {
  const { bob } = fleet.accounts;
  const message = {
    sender: bob.address,
    recipient: bob.address,
    amount: AMOUNT,
    deadline: BigInt(Math.floor(Date.now() / 1_000) + INTENT_SECONDS),
    nonce: `traffic-${nonce}`,
  };
  const signature = await fleet.partner.getWallet(bob).signTypedData({
    domain: intentDomain(fleet.book.partner),
    types: xcnWithdrawIntentTypes,
    primaryType: 'XcnWithdrawIntent',
    message,
  });
  const body = {
    senderAddress: message.sender,
    recipientAddress: message.recipient,
    amountAtomic: `${message.amount}`,
    idempotencyKey: message.nonce,
    deadline: Number(message.deadline),
    nonce: message.nonce,
    signature,
  };
  return {
    name: 'POST /bridge/xcn-withdraw-intent',
    url: `${fleet.apiUrl}/api/v1/bridge/xcn-withdraw-intent`,
    headers: JSON_TYPE,
    body: JSON.stringify(body),
    findFault: () => null,
  };
}
