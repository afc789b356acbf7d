import {
  assetInfo,
  chainProfile,
  formatAmount,
  HISTORY_PAGE_SIZE,
  IDEMPOTENCY_KEY_LENGTH,
  INTENT_WINDOW_SECONDS,
  intentDomain,
  listAssets,
  MAXIMUM_IDS,
  pickAsset,
  getToken,
  xcnWithdrawIntentTypes,
  type ConfigResponse,
  type Side,
} from '@causeway/protocol';
import { parseRequest } from '@causeway/protocol/rest';
import { numberToHex } from 'viem';
import { Controller, Get, Inject, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Configuration } from '../configuration.js';
import { CONFIGURATION } from '../infrastructure.js';
import { OnChainParameters, type KnownValues } from '../on-chain-parameters.js';
import { payableWallet } from '../payable-wallets.js';
import { sendCacheable } from '../caching.js';

const noParameters = z.strictObject({});
/** Clients must revalidate every time: the relayer wallet may have been replaced. */
const CACHE_CONTROL = 'no-cache';
/** Specification, Limits: status polling interval. */
const POLL_SECONDS = { minimum: 5, maximum: 10 };

@Controller('api/v1/bridge/config')
export class ConfigController {
  constructor(
    private readonly parameters: OnChainParameters,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /** `GET /bridge/config`: everything that a client needs to know before it begins. */
  @Get()
  async config(@Query() query: unknown, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    parseRequest(noParameters, query);
    const values = await this.parameters.read();
    void reply.header('age', values.ageSeconds);
    sendCacheable(request, reply, toConfigResponse(this.configuration, values), CACHE_CONTROL);
  }
}

/** The native currencies, in wallets' terms. */
const CURRENCIES = {
  ethereum: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  partner: { name: 'XCN', symbol: 'XCN', decimals: 18 },
} as const;

/** The fields with which a wallet adds a chain; null without a public JSON-RPC. */
function toWalletChain({ addressBook, publicChains }: Configuration, side: Side): ConfigResponse[Side]['walletChain'] {
  const { rpcUrls, explorerUrls } = publicChains[side];
  if (rpcUrls.length === 0) return null;
  return {
    chainId: numberToHex(addressBook[side].chainId),
    chainName: chainProfile(addressBook.environment).chainNames[side],
    rpcUrls: [...rpcUrls],
    nativeCurrency: CURRENCIES[side],
    // Wallets reject an empty list.
    blockExplorerUrls: explorerUrls.length === 0 ? null : [...explorerUrls],
  };
}

/** Combines the deployment, the configuration and the contracts. */
function toConfigResponse(configuration: Configuration, values: KnownValues): ConfigResponse {
  const { addressBook: book, timing } = configuration;
  const listTokens = (side: Side) =>
    listAssets().map((asset) => {
      const { decimals, granularity } = assetInfo(asset);
      const address = getToken(book, side, asset);
      return { token: asset, address, decimals, granularity: granularity.toString() };
    });
  return {
    environment: book.environment,
    ethereum: {
      chainId: book.ethereum.chainId,
      bridgeLock: book.ethereum.bridgeLock,
      requiredConfirmations: timing.ethereumConfirmations,
      tokens: listTokens('ethereum'),
      walletChain: toWalletChain(configuration, 'ethereum'),
    },
    partner: {
      chainId: book.partner.chainId,
      bridgeMint: book.partner.bridgeMint,
      requiredConfirmations: timing.partnerConfirmations,
      tokens: listTokens('partner'),
      walletChain: toWalletChain(configuration, 'partner'),
    },
    relayerWalletAddress: payableWallet(values, book.relayer).relayerWalletAddress,
    holdSeconds: timing.holdSeconds,
    withdrawals: listAssets().map((token) => {
      const { bps, minFee, minAmount } = pickAsset(values.policies, token);
      return {
        token,
        feeBps: bps,
        minimumFee: minFee.toString(),
        minimumFeeFormatted: formatAmount(token, minFee),
        minimumAmount: minAmount.toString(),
        minimumAmountFormatted: formatAmount(token, minAmount),
      };
    }),
    intent: {
      domain: intentDomain(book.partner),
      primaryType: 'XcnWithdrawIntent',
      types: { XcnWithdrawIntent: [...xcnWithdrawIntentTypes.XcnWithdrawIntent] },
      windowSeconds: INTENT_WINDOW_SECONDS,
    },
    api: {
      historyPageSize: HISTORY_PAGE_SIZE,
      maximumIds: MAXIMUM_IDS,
      idempotencyKeyLength: IDEMPOTENCY_KEY_LENGTH,
      pollSeconds: POLL_SECONDS,
    },
  };
}
