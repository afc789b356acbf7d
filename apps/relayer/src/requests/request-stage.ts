import { requestDeployment, validity, computeVersion, type RequestSnapshot } from '@causeway/protocol/admin';
import {
  HaltChangedError,
  isReadable,
  type AdminRequest,
  type Fence,
  type ReadableRequest,
  type Store,
} from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { getChainIds, type BridgeChains } from '../bridge-chain.js';
import type { Configuration } from '../configuration.js';
import { CHAINS, CLOCK, CONFIGURATION, LOGGER, STORE, type Clock } from '../infrastructure.js';
import { forEachSequential } from '../pipeline/for-each.js';
import type { Stage } from '../pipeline/scheduler.js';
import { planRequest, readSnapshot } from './plan-request.js';
import type { PlanContext } from './plan.js';
import { missingApprovals } from './verify-request.js';

/** The refusal when the state has changed since the approvers saw it. */
const STALE = 'The state has changed since the request was made: check it and make a new request';

/**
 * Carries out the requests that operators make in the console, each once. It trusts no column of a request: it verifies
 * the signatures against its own list, compares the state with the one that was signed, and plans with the commands'
 * functions. A request stays queued until it expires if the nodes do not answer.
 */
@Injectable()
export class RequestStage implements Stage {
  readonly name = 'requests';

  constructor(
    @Inject(CHAINS) private readonly chains: BridgeChains,
    @Inject(STORE) private readonly store: Store,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async run(fence: Fence): Promise<boolean> {
    let hasWritten = false;
    const overdue = await this.store.requests.findOverdue(new Date(this.clock.now()));
    await forEachSequential(overdue, async ({ id }) => {
      if (await this.end(fence, id, 'EXPIRED', 'It expired. Nothing changed')) hasWritten = true;
    });
    // A halt needs no node, so it must not wait for a request that does.
    const queued = await this.store.requests.findQueued();
    const isHalt = ({ terms }: AdminRequest) => terms?.kind === 'HALT';
    const inOrder = [...queued.filter(isHalt), ...queued.filter((request) => !isHalt(request))];
    await forEachSequential(inOrder, async (request) => {
      if (await this.carryOut(fence, request)) hasWritten = true;
    });
    return hasWritten;
  }

  private get context(): PlanContext {
    const { store, chains, configuration } = this;
    return { store, chains, configuration };
  }

  /** Returns whether the request ended. */
  private async carryOut(fence: Fence, request: AdminRequest): Promise<boolean> {
    const refuse = (why: string) => this.end(fence, request.id, 'REFUSED', why);
    if (!isReadable(request)) return refuse('Its terms or its state are invalid');
    const on = await readSnapshot(this.context, request.terms);
    const why = await this.whyRefused(request, on);
    if (why !== null) return refuse(why);
    const plan = await planRequest(this.context, request, on);
    if (plan.effect === null) return refuse(plan.outcome);
    const end = { outcome: plan.outcome, now: new Date(this.clock.now()), chains: getChainIds(this.chains) };
    switch (await this.apply(fence, request, plan.effect, end)) {
      case 'done':
        this.logger.info({ requestId: request.id, kind: request.terms.kind }, 'carried out a request of operators');
        return true;
      case 'stale':
        return refuse(STALE);
      case 'unfit':
        return refuse('The state changed while the request was carried out: check it and make a new request');
      case 'gone':
        return false;
    }
  }

  private async apply(...[fence, request, effect, end]: Parameters<Store['requests']['carryOut']>) {
    try {
      return await this.store.requests.carryOut(fence, request, effect, end);
    } catch (error) {
      if (error instanceof HaltChangedError) return 'stale';
      throw error;
    }
  }

  private async whyRefused(request: ReadableRequest, on: RequestSnapshot): Promise<string | null> {
    if (validity(request.validUntil, this.clock.now() / 1_000) === 'too long')
      return 'Its approvals are valid for longer than 15 minutes';
    if (computeVersion(on) !== request.version) return STALE;
    const { addressBook, approvals } = this.configuration;
    return missingApprovals(request, on, approvals, requestDeployment(addressBook));
  }

  private async end(fence: Fence, id: AdminRequest['id'], state: 'REFUSED' | 'EXPIRED', outcome: string) {
    const hasEnded = await this.store.requests.end(fence, id, { state, outcome, now: new Date(this.clock.now()) });
    if (hasEnded) this.logger.warn({ requestId: id, state, outcome }, 'a request of operators changed nothing');
    return hasEnded;
  }
}
