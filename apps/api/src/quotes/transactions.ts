import { randomUUID } from 'node:crypto';
import {
  approveCall,
  BridgeError,
  depositCall,
  INTENT_WINDOW_SECONDS,
  intentDomain,
  getToken,
  withdrawalCall,
  xcnWithdrawIntentTypes,
  type AddressBook,
  type TransactionsResponse,
  type UnsignedCall,
} from '@causeway/protocol';
import { parseRequest, transactionsBodySchema, type CheckedTransactionsBody } from '@causeway/protocol/rest';
import { allowanceAbi } from '@causeway/protocol/abi';
import { finishInTime } from '@causeway/service/http';
import { Body, Controller, Header, HttpCode, Inject, Injectable, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { getTypesForEIP712Domain, type Address } from 'viem';
import { assertRecipientKeepsFunds } from '../bridge-addresses.js';
import type { Configuration } from '../configuration.js';
import { CHAINS, CONFIGURATION, type Chains } from '../infrastructure.js';
import { QuotesService } from './quotes.js';
import { offerSignedDeposits } from './signed-deposits.js';
import { toUnsignedCall } from './unsigned-call.js';

/** How long a client waits for the allowance. */
const NODE_TIMEOUT_MS = 2_000;

/** A transfer with its amount in atomic units and its quoted fee. */
interface Transfer extends Pick<CheckedTransactionsBody, 'token' | 'senderAddress' | 'recipientAddress'> {
  readonly amount: bigint;
  readonly maxFee: bigint;
}

/** Builds the unsigned transactions or the typed data of a transfer. Stores nothing. */
@Injectable()
export class TransactionsService {
  constructor(
    private readonly quotes: QuotesService,
    @Inject(CHAINS) private readonly chains: Chains,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /**
   * Returns the response, and the age of the contract values, which bound the fee of a withdrawal.
   *
   * @throws BridgeError VALIDATION_ERROR, BELOW_MINIMUM, SERVICE_PAUSED, SERVICE_UNAVAILABLE
   */
  async transactions(body: CheckedTransactionsBody): Promise<{ response: TransactionsResponse; ageSeconds: number }> {
    const { token, direction, senderAddress, recipientAddress, byIntent } = body;
    const { addressBook: book } = this.configuration;
    if (byIntent && (token !== 'XCN' || direction !== 'PARTNER_TO_ETHEREUM'))
      throw new BridgeError('VALIDATION_ERROR', 'byIntent is only for XCN from the partner chain', {
        field: 'byIntent',
      });
    assertRecipientKeepsFunds(book, recipientAddress);
    const { quote, ageSeconds } = await this.quotes.quote(body);
    if (quote.paused)
      throw new BridgeError('SERVICE_PAUSED', 'Transfers in this direction are paused; try again later');
    const amount = BigInt(quote.inputAmount);
    const transfer = { token, senderAddress, recipientAddress, amount, maxFee: BigInt(quote.feeAmount) };
    const planned = { token, direction, amount, sender: senderAddress, recipient: recipientAddress };
    const isDeposit = direction === 'ETHEREUM_TO_PARTNER';
    const [warnings, allowance, bySignature] = await Promise.all([
      this.quotes.warnings(planned, { sender: 'senderAddress', recipient: 'recipientAddress' }),
      isDeposit ? this.allowance(transfer) : 0n,
      isDeposit && token !== 'ETH' ? offerSignedDeposits(this.chains, book, transfer) : [],
    ]);
    const offered = { quote, warnings, bySignature };
    if (byIntent) {
      const intent = unsignedIntent(book, transfer, Date.now(), randomUUID());
      return { response: { ...offered, calls: [], ...intent }, ageSeconds };
    }
    const place = getToken(book, isDeposit ? 'ethereum' : 'partner', token);
    const calls = isDeposit
      ? depositCalls(book, transfer, place, allowance)
      : [unsignedWithdrawal(book, transfer, place)];
    return { response: { ...offered, calls, typedData: null, intentBody: null }, ageSeconds };
  }

  /**
   * Reads the sender's allowance for BridgeLock; 0 for ETH, which needs none. An unknown allowance counts as 0: a
   * needless approval costs gas, but a missing one makes the deposit fail.
   */
  private async allowance({ token, senderAddress }: Transfer): Promise<bigint> {
    if (token === 'ETH') return 0n;
    const { addressBook: book } = this.configuration;
    const call = {
      address: getToken(book, 'ethereum', token),
      abi: allowanceAbi,
      functionName: 'allowance',
      args: [senderAddress, book.ethereum.bridgeLock],
    } as const;
    const read = async (): Promise<bigint> => {
      const blockNumber = await this.chains.ethereum.agreedHead();
      return this.chains.ethereum.agree((client) => client.readContract({ ...call, blockNumber }));
    };
    return finishInTime(read(), NODE_TIMEOUT_MS).catch(() => 0n);
  }
}

@Controller('api/v1/bridge/transactions')
export class TransactionsController {
  constructor(private readonly service: TransactionsService) {}

  /** `POST /bridge/transactions`: what a wallet must sign for a transfer. */
  @Post()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  async transactions(
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TransactionsResponse> {
    const { response, ageSeconds } = await this.service.transactions(parseRequest(transactionsBodySchema, body));
    void reply.header('age', ageSeconds);
    return response;
  }
}

/** The calls of a deposit: an approval if needed, then the deposit. */
function depositCalls(
  { ethereum }: AddressBook,
  transfer: Transfer,
  token: Address,
  allowance: bigint,
): UnsignedCall[] {
  const { token: asset, senderAddress: from, recipientAddress: recipient, amount } = transfer;
  const { chainId, bridgeLock } = ethereum;
  const deposit = depositCall({ bridgeLock, token, amount, recipient });
  const calls = [toUnsignedCall(`Deposits ${asset} for ${recipient} on the partner chain.`, chainId, from, deposit)];
  if (asset === 'ETH' || allowance >= amount) return calls;
  const approval = approveCall(token, bridgeLock, amount);
  return [toUnsignedCall(`Allows the bridge to take the ${asset} of this deposit.`, chainId, from, approval), ...calls];
}

/** A withdrawal for at most the quoted fee. */
function unsignedWithdrawal({ partner }: AddressBook, transfer: Transfer, token: Address): UnsignedCall {
  const { token: asset, senderAddress, recipientAddress: recipient, amount, maxFee } = transfer;
  const { bridgeMint, chainId } = partner;
  const call = withdrawalCall({ bridgeMint, token, amount, recipient, maxFee });
  return toUnsignedCall(`Withdraws ${asset} to ${recipient} on Ethereum.`, chainId, senderAddress, call);
}

/** The intent to sign, and the request that registers it. Acceptance fixes its fee. */
function unsignedIntent({ partner }: AddressBook, transfer: Transfer, nowMs: number, nonce: string) {
  const { senderAddress, recipientAddress, amount } = transfer;
  const deadline = Math.floor(nowMs / 1_000) + INTENT_WINDOW_SECONDS;
  const domain = intentDomain(partner);
  const message = {
    sender: senderAddress,
    recipient: recipientAddress,
    amount: `${amount}`,
    deadline: `${deadline}`,
    nonce,
  };
  return {
    typedData: {
      domain,
      primaryType: 'XcnWithdrawIntent' as const,
      types: {
        EIP712Domain: getTypesForEIP712Domain({ domain: { ...domain } }),
        XcnWithdrawIntent: [...xcnWithdrawIntentTypes.XcnWithdrawIntent],
      },
      message,
    },
    intentBody: { senderAddress, recipientAddress, amountAtomic: `${amount}`, idempotencyKey: nonce, deadline, nonce },
  };
}
