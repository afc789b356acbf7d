import { ChainError } from '@causeway/chain';
import {
  findCommand,
  OptionError,
  PlanRefusedError,
  prepareCommand,
  RoleError,
  safeFile,
  type PreparedTransaction,
} from '@causeway/governance';
import { BridgeError, type Side } from '@causeway/protocol';
import { AdminError, type ContractsResponse, type PrepareCallResponse } from '@causeway/protocol/admin';
import { Inject, Injectable } from '@nestjs/common';
import { BaseError, type Address } from 'viem';
import type { Configuration } from '../../configuration.js';
import { CHAINS, CONFIGURATION, type Chains } from '../../infrastructure.js';
import { agreedClient } from './agreed-client.js';
import { historyRows, readAnnounced } from '../../contracts/announced.js';
import { ContractEvents } from '../../contracts/contract-events.js';
import { pauseRows, readContractState } from '../../contracts/contract-state.js';

/** History rows per side, at most. */
const MOST_CHANGES = 200;

interface Wanted {
  readonly command: string;
  readonly options: Readonly<Record<string, string>>;
  readonly account: Address;
}

/** Reads the contracts and prepares calls for their role holders to sign. It has no key and sends no transaction. */
@Injectable()
export class ContractsService {
  constructor(
    @Inject(CHAINS) private readonly chains: Chains,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    private readonly events: ContractEvents,
  ) {}

  /** @throws QuorumError when the nodes of a chain do not agree. */
  async read(): Promise<ContractsResponse> {
    const [ethereum, partner] = await Promise.all([this.readSide('ethereum'), this.readSide('partner')]);
    return {
      blocks: [...ethereum.blocks, ...partner.blocks],
      pauses: [...ethereum.pauses, ...partner.pauses],
      assets: [...ethereum.assets, ...partner.assets],
      roles: [...ethereum.roles, ...partner.roles],
      announced: [...ethereum.announced, ...partner.announced],
      history: [...ethereum.history, ...partner.history],
    };
  }

  /**
   * Computes and simulates the transactions of a call, at one block of each chain.
   *
   * @throws BridgeError VALIDATION_ERROR naming the option or the account, SERVICE_UNAVAILABLE when the nodes do not
   *   agree; AdminError WRONG_STATE when the call would cause harm.
   */
  async prepare({ command: name, options, account }: Wanted): Promise<PrepareCallResponse> {
    const { ethereum, partner } = this.chains;
    const [ofEthereum, ofPartner] = [ethereum.agreedHead(), partner.agreedHead()];
    // Prevents unhandled rejections: no read awaits these when none is needed.
    void Promise.allSettled([ofEthereum, ofPartner]);
    const clients = { ethereum: agreedClient(ethereum, ofEthereum), partner: agreedClient(partner, ofPartner) };
    const { addressBook: book } = this.configuration;
    try {
      const command = findCommand(name);
      const prepared = await prepareCommand({ command, options, account, book, clients });
      return { transactions: prepared.map(toTransaction), safeTransaction: safeFiles(name, account, prepared) };
    } catch (error) {
      throw await this.toAnswer(error);
    }
  }

  private async readSide(side: Side): Promise<ContractsResponse> {
    const { addressBook: book } = this.configuration;
    const connection = this.chains[side];
    const state = await readContractState(connection, book, side);
    const { number, at, timelock } = state;
    const { events, through } = await this.events.read(side, timelock, number);
    const asked = timelock === null ? null : { side, book, timelock, number, at };
    return {
      blocks: [
        {
          side,
          number: Number(number),
          at: at.toISOString(),
          eventsThrough: through === null ? null : Number(through),
        },
      ],
      pauses: pauseRows(side, state),
      assets: [...state.assets],
      roles: [...state.roles],
      announced: asked === null ? [] : [...(await readAnnounced(connection, asked, events))],
      history: historyRows(side, book, events).slice(0, MOST_CHANGES),
    };
  }

  private async toAnswer(error: unknown): Promise<unknown> {
    if (error instanceof OptionError) {
      const field = error.option === 'command' ? 'command' : `options.${error.option}`;
      return new BridgeError('VALIDATION_ERROR', `${field}: ${error.reason}`, { field, cause: error });
    }
    if (error instanceof RoleError) return this.roleAnswer(error);
    if (error instanceof PlanRefusedError) return new AdminError('WRONG_STATE', error.message, { cause: error });
    // viem wraps the errors of our transport.
    const cause = error instanceof BaseError ? error.walk((each) => each instanceof ChainError) : null;
    return cause ?? error;
  }

  /** Names the account that can make the call; for a timelock, its owner. */
  private async roleAnswer(error: RoleError): Promise<BridgeError> {
    const { message, timelock } = error;
    const owners = timelock === undefined ? [] : await this.readOwners(timelock);
    const known = owners.length === 0 ? '' : `. It is ${owners.join(', ')}`;
    return new BridgeError('VALIDATION_ERROR', `account: ${message}${known}`, { field: 'account', cause: error });
  }

  private async readOwners(timelock: Address): Promise<readonly Address[]> {
    const { roles } = await this.read();
    const admin = roles.find(({ role, address }) => role === 'admin' && address === timelock.toLowerCase());
    return roles.filter(({ role, side }) => role === 'owner' && side === admin?.side).map((row) => row.address);
  }
}

function toTransaction(prepared: PreparedTransaction): PrepareCallResponse['transactions'][number] {
  const { chain: side, value, readyAt, blockNumber, changes, arguments: args, to, ...rest } = prepared;
  return {
    ...rest,
    side,
    to: to.toLowerCase() as Address,
    arguments: [...args],
    value: value.toString(),
    readyAt: readyAt?.toISOString() ?? null,
    blockNumber: blockNumber === null ? null : Number(blockNumber),
    changes: [...changes],
  };
}

/** One file per chain, with the transactions that can be sent now. */
function safeFiles(
  description: string,
  safe: Address,
  prepared: readonly PreparedTransaction[],
): PrepareCallResponse['safeTransaction'] {
  const sendable = prepared.filter(({ maySend }) => maySend);
  const createdAt = new Date();
  const files = [...new Set(sendable.map(({ chainId }) => chainId))].map((chainId) => {
    const transactions = sendable.filter((each) => each.chainId === chainId);
    return [String(chainId), safeFile({ chainId, safe, description, createdAt, transactions })] as const;
  });
  return Object.fromEntries(files);
}
