import { randomBytes } from 'node:crypto';
import { BridgeError, canonicalJson, isSignedByKey } from '@causeway/protocol';
import {
  getAction,
  AdminError,
  APPROVAL_WINDOW_SECONDS,
  approvalsNeeded,
  includesRole,
  validateRequest,
  requestDeployment,
  requestDigest,
  requestTypedData,
  validity,
  computeVersion,
  type CheckedRequestBody,
  type RequestSnapshot,
  type PreviewResponse,
  type RequestDeployment,
  type RequestTerms,
  type SignedRequest,
} from '@causeway/protocol/admin';
import { isReadable, type AdminRequest, type ReadableRequest, type Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import { bytesToHex, type Hex } from 'viem';
import type { Configuration } from '../../configuration.js';
import { CONFIGURATION, STORE } from '../../infrastructure.js';
import type { Session } from '../access/sessions.service.js';

/**
 * Takes requests for the relayer. It refuses early what the relayer would refuse. The relayer does not trust it and
 * verifies everything again.
 */
@Injectable()
export class RequestsService {
  readonly deployment: RequestDeployment;

  constructor(
    @Inject(STORE) private readonly store: Pick<Store, 'requests'>,
    @Inject(CONFIGURATION)
    private readonly configuration: Pick<Configuration, 'addressBook' | 'admin' | 'oneApprovalUpTo'>,
  ) {
    this.deployment = requestDeployment(configuration.addressBook);
  }

  /**
   * Returns the state that a request would be based on now, and the text that its approvers sign. Stores nothing.
   *
   * @throws AdminError FORBIDDEN, NOT_FOUND, WRONG_STATE
   */
  async preview(session: Session, terms: RequestTerms, reason: string): Promise<PreviewResponse> {
    this.checkRole(session, terms);
    const state = await this.readSnapshot(terms);
    checkSense(terms, state);
    await this.checkReason({ terms, reason });
    const needed = approvalsNeeded(terms, state, this.configuration.oneApprovalUpTo);
    const id = bytesToHex(randomBytes(32));
    const validUntil = nowSeconds() + APPROVAL_WINDOW_SECONDS;
    const typedData = requestTypedData(this.deployment, { id, terms, decidedOn: state, reason, validUntil });
    return {
      requestId: id,
      version: computeVersion(state),
      validUntil,
      approvalsNeeded: needed,
      state,
      chainIds: this.deployment.chainIds,
      typedData: needed === 0 ? null : typedData,
    };
  }

  /**
   * Stores a request; repeating the same body returns the same request.
   *
   * @throws AdminError FORBIDDEN, APPROVAL_EXPIRED, STALE_VERSION, NOT_FOUND, WRONG_STATE
   * @throws BridgeError VALIDATION_ERROR, SIGNATURE_MISMATCH
   */
  async create(session: Session, body: CheckedRequestBody): Promise<ReadableRequest> {
    const { terms, reason, version, validUntil, signature } = body;
    this.checkRole(session, terms);
    const known = await this.store.requests.find(body.requestId);
    if (known !== null) return sameRequest(known, session, body);
    checkTime(validUntil);
    const snapshot = await this.readSnapshot(terms);
    checkVersion(snapshot, version);
    checkSense(terms, snapshot);
    await this.checkReason({ terms, reason });
    const needed = approvalsNeeded(terms, snapshot, this.configuration.oneApprovalUpTo);
    const request = { id: body.requestId, terms, decidedOn: snapshot, reason, version, validUntil };
    const approval = needed === 0 ? null : { operator: session.address, signature: given(signature) };
    if (approval !== null) await this.checkSignature(session, request, approval.signature);
    const asked = { ...request, requestedBy: session.address, approvalsNeeded: needed };
    const result = await this.store.requests.create(asked, approval, makeStep(session));
    if (result.kind === 'known') return sameRequest(result.request, session, body);
    if (result.kind === 'open') {
      const { id, requestedBy } = result.request;
      throw new AdminError(
        'WRONG_STATE',
        `${requestedBy} already requested this, and it is not done yet; see request ${id}`,
      );
    }
    return readable(result.request);
  }

  /**
   * Adds the signature of another person.
   *
   * @throws AdminError NOT_FOUND, FORBIDDEN, APPROVAL_EXPIRED, STALE_VERSION, WRONG_STATE
   * @throws BridgeError SIGNATURE_MISMATCH
   */
  async approve(session: Session, id: Hex, signature: Hex): Promise<ReadableRequest> {
    const request = await this.find(id);
    this.checkRole(session, request.terms);
    if (request.requestedBy === session.address)
      throw new AdminError('WRONG_STATE', 'You made this request yourself; another person must approve it');
    // The caller repeats an approval whose response was lost.
    if (request.approvals.some(({ operator }) => operator === session.address)) return request;
    checkAwaits(request);
    const snapshot = await this.readSnapshot(request.terms);
    checkVersion(snapshot, request.version);
    await this.checkReason(request);
    await this.checkSignature(session, { ...request, decidedOn: snapshot }, signature);
    const approval = { operator: session.address, signature };
    const result = await this.store.requests.approve(id, approval, makeStep(session));
    if (result === null) throw notFound(id);
    if (result.kind === 'ended' || result.kind === 'expired') checkAwaits(readable(result.request), result.kind);
    return readable(result.request);
  }

  /** @throws AdminError NOT_FOUND */
  async find(id: Hex): Promise<ReadableRequest> {
    const request = await this.store.requests.find(id);
    if (request === null || !isReadable(request)) throw notFound(id);
    return request;
  }

  private async readSnapshot(terms: RequestTerms): Promise<RequestSnapshot> {
    return this.store.requests.readSnapshot(terms, this.deployment.chainIds);
  }

  private async checkReason(request: Pick<ReadableRequest, 'terms' | 'reason'>): Promise<void> {
    const objection = await this.store.requests.findObjection(request);
    if (objection !== null) throw new AdminError('WRONG_STATE', objection);
  }

  private checkRole({ role, address }: Session, terms: RequestTerms): void {
    const { role: needed } = getAction(terms);
    if (!includesRole(role, needed))
      throw new AdminError('FORBIDDEN', `This requires the role ${needed}; ${address} has the role ${role}`);
    if ('address' in terms && this.configuration.admin?.allowList.has(terms.address) === true)
      throw new AdminError('WRONG_STATE', `${terms.address} is in ADMIN_ALLOW_LIST; change the configuration instead`);
  }

  /** The signed text must derive from the terms and the state. */
  private async checkSignature(
    { address }: Session,
    request: SignedRequest & { readonly version: Hex },
    signature: Hex,
  ): Promise<void> {
    if (await isSignedByKey(requestDigest(this.deployment, request), signature, address)) return;
    const message = `signature was not made by the key of ${address} over this request; smart accounts cannot approve`;
    throw new BridgeError('SIGNATURE_MISMATCH', message, { field: 'signature' });
  }
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}

function makeStep({ address, role, id: sessionId }: Session) {
  return { actor: { address, role, sessionId }, now: new Date() };
}

function notFound(id: Hex): AdminError {
  return new AdminError('NOT_FOUND', `No request has the id ${id}`);
}

function readable(request: AdminRequest): ReadableRequest {
  if (!isReadable(request)) throw notFound(request.id);
  return request;
}

function given(signature: Hex | null): Hex {
  if (signature !== null) return signature;
  const message = 'signature is missing; this request needs approvals, so sign the typed data of the preview';
  throw new BridgeError('VALIDATION_ERROR', message, { field: 'signature' });
}

/** A request with a known id must be equal in every field. */
function sameRequest(known: AdminRequest, { address }: Session, body: CheckedRequestBody): ReadableRequest {
  const { terms, reason, version, validUntil, requestedBy } = known;
  const isSame =
    terms !== null &&
    requestedBy === address &&
    canonicalJson([terms, reason, version, validUntil]) ===
      canonicalJson([body.terms, body.reason, body.version, body.validUntil]);
  if (!isSame)
    throw new AdminError('WRONG_STATE', `The id ${known.id} belongs to another request; request a new preview`);
  return readable(known);
}

function checkTime(validUntil: number): void {
  const found = validity(validUntil, nowSeconds());
  if (found === 'expired')
    throw new AdminError('APPROVAL_EXPIRED', 'The preview is older than 15 minutes; request a new one');
  if (found === 'too long')
    throw new BridgeError('VALIDATION_ERROR', 'validUntil must be at most 15 minutes from now', {
      field: 'validUntil',
    });
}

function checkVersion(state: RequestSnapshot, version: Hex): void {
  if (computeVersion(state) === version) return;
  throw new AdminError('STALE_VERSION', 'The state behind this request has changed; review it again');
}

function checkSense(terms: RequestTerms, state: RequestSnapshot): void {
  const objection = validateRequest(terms, state);
  if (objection === null) return;
  const isMissing = state.about === 'nothing' && getAction(terms).about !== 'halt';
  throw new AdminError(isMissing ? 'NOT_FOUND' : 'WRONG_STATE', objection);
}

function checkAwaits({ state, validUntil, id }: AdminRequest, kind: 'ended' | 'expired' | null = null): void {
  if (state === 'EXPIRED' || kind === 'expired' || (state === 'AWAITING_APPROVAL' && nowSeconds() > validUntil))
    throw new AdminError('APPROVAL_EXPIRED', `Request ${id} was not approved within 15 minutes; make a new request`);
  if (state !== 'AWAITING_APPROVAL')
    throw new AdminError('WRONG_STATE', `The request is ${state} and does not wait for approval`);
}
