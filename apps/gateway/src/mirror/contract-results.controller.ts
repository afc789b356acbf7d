import { PartnerChainError } from '@causeway/partner-chain';
import { Controller, Get, Header, HttpStatus, Inject, Param, Query, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hexToBytes, type Hex } from 'viem';
import type { EmbeddedBackend } from '../backend/embedded/embedded-backend.js';
import { CONFIGURATION, type Configuration } from '../config/configuration.js';
import { clientAddress } from '../transport/client-address.js';
import { pageOfActions } from './actions-page.js';
import { readActionsQuery, type ActionsQuery } from './actions-query.js';
import { toContractResult } from './contract-result.js';
import { EMBEDDED_BACKEND } from './embedded-backend-token.js';
import { exactJson } from './exact-json.js';
import { findMinedTransaction, type MinedTransaction } from './mined-transaction.js';
import { messagesOf, toMirrorAction } from './mirror-action.js';
import { MirrorLimitGuard } from './mirror-limit.guard.js';
import { MirrorError } from './mirror-error.js';
import { mirrorTimestamp } from './mirror-timestamp.js';
import { partialStatus } from './partial-status.js';

const HASH = /^(?:0x)?([0-9a-fA-F]{64})$/;
const PATH = '/api/v1/contracts/results';

/** What came of a transaction and the call tree behind it, as a Hedera-style mirror node answers. */
@Controller(PATH)
@UseGuards(MirrorLimitGuard)
export class ContractResultsController {
  constructor(
    @Inject(EMBEDDED_BACKEND) private readonly backend: EmbeddedBackend,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /** @throws MirrorError 429 beyond the limits, 503 when too much is asked for, 400 for what is no hash, 404 for a transaction that is in no block. */
  @Get(':hash')
  @Header('content-type', 'application/json; charset=utf-8')
  result(@Param('hash') hash: string, @Req() request: FastifyRequest): Promise<string> {
    return this.#inTurn(request, async () => {
      return exactJson(await toContractResult(this.#find(hash), this.backend.chain.reader));
    });
  }

  /**
   * Query parameters: `index`, `limit`, `order` (see `readActionsQuery`). A call tree that was not kept whole is a 206 on every page, with a `_status`
   * that says how much is missing.
   */
  @Get(':hash/actions')
  @Header('content-type', 'application/json; charset=utf-8')
  actions(
    @Param('hash') hash: string,
    @Query() query: Record<string, unknown>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const asked = readActionsQuery(query);
    return this.#inTurn(request, () => {
      const mined = this.#find(hash);
      if (mined.calls.omitted !== undefined) reply.code(HttpStatus.PARTIAL_CONTENT);
      return this.#actions(hash, mined, asked);
    });
  }

  #actions(hash: string, mined: MinedTransaction, asked: ActionsQuery): string {
    const state = this.backend.chain.reader.state(mined.block.header.number);
    const context = {
      timestamp: mirrorTimestamp(mined),
      isContract: (address: Hex) => state.account(hexToBytes(address))?.isContract() === true,
    };
    // Only what is shown is looked up: a call tree may have ten thousand messages.
    const { actions, links } = pageOfActions(messagesOf(mined.calls), asked, `${PATH}/${hash}/actions`);
    return exactJson({
      actions: actions.map((message) => toMirrorAction(message, context)),
      links,
      ...partialStatus(mined.calls),
    });
  }

  /** A large transaction takes long to read: the endpoints take turns with the heavy calls, by the same address as those. */
  async #inTurn(request: FastifyRequest, task: () => string | Promise<string>): Promise<string> {
    try {
      return await this.backend.inTurn(clientAddress(request.raw, this.configuration.trustedProxyHops), task);
    } catch (error) {
      if (!(error instanceof PartnerChainError && error.code === 'UNAVAILABLE')) throw error;
      throw new MirrorError(503, `Service unavailable: ${error.message}`);
    }
  }

  #find(hash: string): MinedTransaction {
    const digits = HASH.exec(hash)?.[1];
    if (digits === undefined) throw new MirrorError(400, 'Invalid parameter: transactionIdOrHash');
    const mined = findMinedTransaction(this.backend.chain.reader, this.backend.callTrees, `0x${digits.toLowerCase()}`);
    if (mined === null) throw new MirrorError(404, 'Not found');
    return mined;
  }
}
