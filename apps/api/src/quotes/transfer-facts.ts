import { ChainError } from '@causeway/chain';
import { isBridgeError, getToken, type AddressBook, type Asset, type Side } from '@causeway/protocol';
import { bridgedTokenAbi, bridgeLockAbi } from '@causeway/protocol/abi';
import { Inject, Injectable } from '@nestjs/common';
import { zeroAddress, type Address, type PublicClient } from 'viem';
import { BoundedLookups } from '../bounded-lookups.js';
import type { Configuration } from '../configuration.js';
import { CHAINS, CONFIGURATION, type Chains } from '../infrastructure.js';
import type { AccountFacts, PlannedTransfer, TransferFacts } from './warnings.js';

/** Accounts to read on a chain; the key of a look-up. `token` is null on the destination. */
interface Asked {
  readonly side: Side;
  readonly token: Asset | null;
  readonly sender: Address | null;
  readonly recipient: Address | null;
}

/**
 * A look-up costs each node of a chain at most five requests in two round trips. A client waits at most two seconds.
 */
const LIMITS = { concurrent: 10, waiting: 100, timeoutMs: 2_000, rememberMs: 2_000 };
/** Code of an account with a key that delegates to a contract (EIP-7702). */
const DELEGATION = /^0xef0100[0-9a-f]{40}$/i;

/** Reads the accounts of a transfer on both chains by a quorum of nodes. See `TransferFacts`. */
@Injectable()
export class TransferFactsReader {
  private readonly lookups = new BoundedLookups(LIMITS, (key) => this.readSide(JSON.parse(key) as Asked));

  constructor(
    @Inject(CHAINS) private readonly chains: Chains,
    @Inject(CONFIGURATION) private readonly configuration: Pick<Configuration, 'addressBook'>,
  ) {}

  async read({ direction, token, sender, recipient }: Omit<PlannedTransfer, 'amount'>): Promise<TransferFacts> {
    const isDeposit = direction === 'ETHEREUM_TO_PARTNER';
    const [origin, destination] = await Promise.all([
      this.look({ side: isDeposit ? 'ethereum' : 'partner', token, sender, recipient }),
      recipient === null
        ? null
        : this.look({ side: isDeposit ? 'partner' : 'ethereum', token: null, sender: null, recipient }),
    ]);
    return { origin, destination };
  }

  private async look(asked: Asked): Promise<AccountFacts | null> {
    try {
      return await this.lookups.get(JSON.stringify(asked));
    } catch (error) {
      // The nodes are unavailable or do not agree, or too many look-ups run; a warning reports it.
      if (error instanceof ChainError || isBridgeError(error)) return null;
      throw error;
    }
  }

  private async readSide(asked: Asked): Promise<AccountFacts> {
    const chain = this.chains[asked.side];
    const blockNumber = await chain.agreedHead();
    return chain.agree((client) => readAccounts(client, this.configuration.addressBook, asked, blockNumber));
  }
}

async function readAccounts(
  client: PublicClient,
  book: AddressBook,
  { side, token, sender, recipient }: Asked,
  blockNumber: bigint,
): Promise<AccountFacts> {
  // Both contracts inherit this function from the same base.
  const address = side === 'ethereum' ? book.ethereum.bridgeLock : book.partner.bridgeMint;
  const wallets = { address, abi: bridgeLockAbi, functionName: 'isRelayerWallet', blockNumber } as const;
  const [recipientHasCode, balance, isRelayerWallet] = await Promise.all([
    recipient !== null && isContract(client, recipient, blockNumber),
    sender === null || token === null ? null : readBalance(client, getToken(book, side, token), sender, blockNumber),
    recipient !== null && client.readContract({ ...wallets, args: [recipient] }),
  ]);
  return { recipientHasCode, balance, isRelayerWallet };
}

async function isContract(client: PublicClient, address: Address, blockNumber: bigint): Promise<boolean> {
  const code = await client.getCode({ address, blockNumber });
  return code !== undefined && code !== '0x' && !DELEGATION.test(code);
}

async function readBalance(client: PublicClient, token: Address, account: Address, blockNumber: bigint) {
  if (token === zeroAddress) return client.getBalance({ address: account, blockNumber });
  const call = { address: token, abi: bridgedTokenAbi, functionName: 'balanceOf', args: [account] } as const;
  return client.readContract({ ...call, blockNumber });
}
