import type { PartnerChain } from '@causeway/partner-chain';
import { Controller, Get, Header, Inject, Param, Query, UseGuards } from '@nestjs/common';
import { hexToBytes, type Hex } from 'viem';
import { CallTrees } from '../backend/embedded/call-trees.js';
import { pageOfActions } from './actions-page.js';
import { readActionsQuery } from './actions-query.js';
import { toContractResult } from './contract-result.js';
import { exactJson } from './exact-json.js';
import { findMinedTransaction, type MinedTransaction } from './mined-transaction.js';
import { messagesOf, toMirrorAction } from './mirror-action.js';
import { MirrorLimitGuard } from './mirror-limit.guard.js';
import { MirrorError } from './mirror-error.js';
import { mirrorTimestamp } from './mirror-timestamp.js';
import { PARTNER_CHAIN } from './partner-chain-token.js';

const HASH = /^(?:0x)?([0-9a-fA-F]{64})$/;
const PATH = '/api/v1/contracts/results';

/** What came of a transaction and the call tree behind it, as a Hedera-style mirror node answers. */
@Controller(PATH)
@UseGuards(MirrorLimitGuard)
export class ContractResultsController {
  readonly #callTrees: CallTrees;

  constructor(@Inject(PARTNER_CHAIN) private readonly chain: PartnerChain) {
    this.#callTrees = new CallTrees(chain.reader);
  }

  /** @throws MirrorError 429 beyond the limits, 400 for what is no hash, 404 for a transaction that is in no block. */
  @Get(':hash')
  @Header('content-type', 'application/json; charset=utf-8')
  result(@Param('hash') hash: string): string {
    return exactJson(toContractResult(this.#find(hash)));
  }

  /** Query parameters: `index`, `limit`, `order` (see `readActionsQuery`). */
  @Get(':hash/actions')
  @Header('content-type', 'application/json; charset=utf-8')
  actions(@Param('hash') hash: string, @Query() query: Record<string, unknown>): string {
    const asked = readActionsQuery(query);
    const mined = this.#find(hash);
    const state = this.chain.reader.state(mined.block.header.number);
    const context = {
      timestamp: mirrorTimestamp(mined),
      isContract: (address: Hex) => state.account(hexToBytes(address))?.isContract() === true,
    };
    // Only what is shown is looked up: a call tree may have ten thousand messages.
    const { actions, links } = pageOfActions(messagesOf(mined.calls), asked, `${PATH}/${hash}/actions`);
    return exactJson({ actions: actions.map((message) => toMirrorAction(message, context)), links });
  }

  #find(hash: string): MinedTransaction {
    const digits = HASH.exec(hash)?.[1];
    if (digits === undefined) throw new MirrorError(400, 'Invalid parameter: transactionIdOrHash');
    const mined = findMinedTransaction(this.chain, this.#callTrees, `0x${digits.toLowerCase()}`);
    if (mined === null) throw new MirrorError(404, 'Not found');
    return mined;
  }
}
