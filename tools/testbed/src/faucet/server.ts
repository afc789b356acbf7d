import { ClientAddresses, Cors, createLog } from '@causeway/service/http';
import type { Side } from '@causeway/protocol';
import fastify, { type FastifyBaseLogger, type FastifyError, type FastifyInstance } from 'fastify';
import { isAddress, zeroAddress, type Address } from 'viem';
import { z } from 'zod';
import type { FaucetAsset, FaucetConfiguration } from './configuration.js';
import { FaucetError } from './faucet-error.js';
import { DripLimits } from './limits.js';
import type { FaucetWallet } from './wallet.js';

const BODY_LIMIT_BYTES = 4_096;

const dripSchema = z.strictObject({
  chain: z.enum(['ethereum', 'partner'], 'must be ethereum or partner'),
  asset: z.string('must be the symbol of an asset'),
  address: z.string('must be an address'),
});

/** Creates the faucet's HTTP server, which does not listen yet. */
export function createServer(
  configuration: FaucetConfiguration,
  wallets: Readonly<Record<Side, FaucetWallet>>,
): FastifyInstance {
  const { values, assets } = configuration;
  const { LIMIT_WINDOW_SECONDS: windowSeconds, DRIPS_PER_CLIENT: dripsPerClient } = values;
  const limits = new DripLimits({ assets, windowSeconds, dripsPerClient });
  const clients = new ClientAddresses(values.TRUSTED_PROXY_HOPS, values.RATE_LIMIT_EXEMPT_IPS);
  const cors = new Cors(values.CORS_ORIGINS);
  const loggerInstance: FastifyBaseLogger = createLog('faucet', values.LOG_LEVEL);
  const app = fastify({
    loggerInstance,
    bodyLimit: BODY_LIMIT_BYTES,
    forceCloseConnections: 'idle',
  });
  app.addHook('onRequest', async ({ headers }, reply) => void reply.headers(cors.headers(headers.origin)));
  app.options('/*', async ({ headers }, reply) => reply.code(204).headers(cors.preflightHeaders(headers)).send());

  app.get('/', async () => describeFaucet(configuration));
  app.post('/drip', async (request, reply) => {
    const { asset, address } = readDrip(assets, request.body);
    const giveBack = await limits.take(asset, address, clients.identifyClient(request.raw));
    const { transactionHash, isMined } = await wallets[asset.chain]
      .pay(asset, address)
      .catch(async (error: unknown) => {
        // A reverted transaction cost gas, so it still counts.
        if (!(error instanceof FaucetError && error.code === 'TRANSACTION_FAILED')) await giveBack();
        throw error;
      });
    request.log.info({ transactionHash, chain: asset.chain, asset: asset.asset, address, isMined }, 'Paid');
    return reply.code(isMined ? 200 : 202).send({ transactionHash, amount: asset.amount.toString() });
  });

  app.setNotFoundHandler(async () => {
    throw new FaucetError('NOT_FOUND', 'The faucet serves only GET / and POST /drip');
  });
  app.setErrorHandler(async (error: FastifyError, request, reply) => {
    const failure = toFaucetError(error);
    const { code, message, status, retryAfterSeconds } = failure;
    if (status >= 500) request.log.error({ err: failure }, 'A request failed');
    if (retryAfterSeconds !== null) reply.header('retry-after', retryAfterSeconds);
    return reply.code(status).send({ error: code, message });
  });
  return app;
}

function describeFaucet({ values, assets, book, wallet }: FaucetConfiguration): object {
  const describeChain = (side: Side) => ({
    chainId: book[side].chainId,
    assets: assets
      .filter(({ chain }) => chain === side)
      .map(({ asset, token, decimals, amount, mostPerDay }) => ({
        asset,
        token: token === zeroAddress ? null : token,
        decimals,
        amount: amount.toString(),
        mostPerDay: mostPerDay.toString(),
      })),
  });
  return {
    wallet: wallet.address,
    chains: { ethereum: describeChain('ethereum'), partner: describeChain('partner') },
    limits: {
      windowSeconds: values.LIMIT_WINDOW_SECONDS,
      dripsPerAssetAndAddress: 1,
      dripsPerClient: values.DRIPS_PER_CLIENT === 0 ? null : values.DRIPS_PER_CLIENT,
    },
  };
}

/** @throws FaucetError naming the first wrong field. */
function readDrip(assets: readonly FaucetAsset[], body: unknown): { asset: FaucetAsset; address: Address } {
  const parsed = dripSchema.safeParse(body);
  if (!parsed.success) {
    const [{ path, message } = { path: [], message: '' }] = parsed.error.issues;
    throw new FaucetError('INVALID_REQUEST', `${path.join('.') || 'the body'}: ${message}`);
  }
  const { chain, asset: symbol, address } = parsed.data;
  const asset = assets.find((each) => each.chain === chain && each.asset === symbol);
  if (asset === undefined) {
    const given = assets.filter((each) => each.chain === chain).map((each) => each.asset);
    throw new FaucetError('UNKNOWN_ASSET', `The faucet gives ${given.join(', ') || 'nothing'} on ${chain}`);
  }
  if (!isAddress(address)) {
    const rule = '0x and 40 hex digits, in lower case or with the right checksum (EIP-55)';
    throw new FaucetError('INVALID_ADDRESS', `address must be ${rule}`);
  }
  if (address === zeroAddress)
    throw new FaucetError('ZERO_ADDRESS', 'address must not be the zero address, which has no owner');
  return { asset, address };
}

/** Fastify's errors below 500 concern the request, such as a body that is not JSON. */
function toFaucetError(error: FastifyError): FaucetError {
  if (error instanceof FaucetError) return error;
  const isRefusal = error.statusCode !== undefined && error.statusCode < 500;
  if (isRefusal) return new FaucetError('INVALID_REQUEST', error.message, { cause: error });
  return new FaucetError('INTERNAL_ERROR', 'The faucet failed', { cause: error });
}
