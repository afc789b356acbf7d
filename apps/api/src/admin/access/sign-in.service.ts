import { ChainError, checkAccountSignature, describeNodes } from '@causeway/chain';
import { BridgeError, isSignedByKey, unwrapSignature } from '@causeway/protocol';
import { AdminError, type AdminRole, type NonceResponse } from '@causeway/protocol/admin';
import type { Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import { hashMessage, size } from 'viem';
import type { Configuration } from '../../configuration.js';
import { CHAINS, CONFIGURATION, STORE, type Chains } from '../../infrastructure.js';
import { MembersService } from './members.service.js';
import { SessionsService, type Session } from './sessions.service.js';
import { checkSignInMessage, parseSignInMessage, type SignInMessage } from './sign-in-message.js';
import { createNonce, readNonce } from './sign-in-nonce.js';

/** Length of a signature by a key. */
const KEY_SIGNATURE_BYTES = 65;

interface SignIn {
  readonly message: string;
  readonly signature: string;
  readonly clientIp: string;
  readonly userAgent: string | undefined;
  /** Token of the session cookie in the request; null when there is none. */
  readonly presentedToken: string | null;
}

/** Sign-In with Ethereum (EIP-4361). */
@Injectable()
export class SignInService {
  constructor(
    @Inject(STORE) private readonly store: Pick<Store, 'adminNonces' | 'adminAudit'>,
    @Inject(CHAINS) private readonly chains: Chains,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    private readonly members: MembersService,
    private readonly sessions: SessionsService,
  ) {}

  /** Issues a nonce for one message. Stores nothing. */
  async issueNonce(): Promise<NonceResponse> {
    const { nonce, expiresAt } = createNonce(await this.store.adminNonces.key());
    return { nonce, expiresAt: expiresAt.toISOString(), chainIds: this.chainIds() };
  }

  /**
   * Begins a session for the member who signed a message. The signature is checked before the rest of the message and
   * its signer, so only a member's correct signature uses up the nonce. Any other attempt stores nothing.
   *
   * @throws BridgeError VALIDATION_ERROR, SIGNATURE_INVALID, SIGNATURE_VERIFICATION_UNAVAILABLE
   * @throws AdminError SIGN_IN_REFUSED
   */
  async signIn({
    message: text,
    signature,
    presentedToken,
    ...client
  }: SignIn): Promise<{ session: Session; token: string }> {
    const message = parseSignInMessage(text);
    const { address } = message;
    const issued = readNonce(message.nonce, await this.store.adminNonces.key());
    if (issued === null) throw staleNonce();
    await this.checkSignature(message, text, signature);
    const role = await this.members.findRole(address);
    if (role === null) throw refused(`${address} is not on the allow-list of this console`);
    if (!(await this.store.adminNonces.use(issued.nonce, issued.expiresAt))) throw staleNonce();
    try {
      checkSignInMessage(message, { origin: this.origin(), chainIds: this.chainIds(), nowMs: Date.now() });
    } catch (error) {
      // Each row costs a nonce and a member's signature, so strangers cannot fill the log.
      await this.noteRefusal(message, role, client.clientIp, error);
      throw error;
    }
    return this.sessions.begin({ ...client, address, role, replacedToken: presentedToken });
  }

  /**
   * Uses the verifier of intents: both kinds of accounts, at a block that a quorum of nodes has. A smart account signs
   * in on Ethereum, since anyone may have created another account at its address on the partner chain.
   */
  private async checkSignature({ address, chainId }: SignInMessage, text: string, signed: string): Promise<void> {
    const { ethereum, partner } = this.configuration.addressBook;
    const isOnPartner = chainId === partner.chainId;
    const { signature, wasWrapped } = unwrapSignature(signed);
    const claim = { account: address, digest: hashMessage(text), signature };
    if (isOnPartner && !(await isSignedByKey(claim.digest, signature, address)))
      throw refused(
        `The signature was not made by the key of ${address}. A smart account must sign in on chain ${ethereum.chainId}`,
      );
    const chain = isOnPartner ? this.chains.partner : this.chains.ethereum;
    const verdict = await checkAccountSignature(chain, claim).catch((cause: unknown) => {
      if (!(cause instanceof ChainError)) throw cause;
      const message = `The signature cannot be checked now because the nodes ${describeNodes(cause)}; try again`;
      throw new BridgeError('SIGNATURE_VERIFICATION_UNAVAILABLE', message, { field: 'signature', cause });
    });
    if (verdict.kind === 'valid') return;
    if (verdict.kind === 'refused')
      throw refused(`The contract at ${address} refuses the signature: its isValidSignature ${verdict.reason}`);
    const isOfContract = wasWrapped || size(signature) !== KEY_SIGNATURE_BYTES;
    throw refused(
      isOfContract
        ? `${address} has no code on chain ${ethereum.chainId}; deploy the smart account there`
        : `The signature was not made by the key of ${address}`,
    );
  }

  private async noteRefusal(
    { address }: SignInMessage,
    role: AdminRole,
    clientIp: string,
    error: unknown,
  ): Promise<void> {
    if (!(error instanceof AdminError)) return;
    await this.store.adminAudit.append({
      actor: address,
      role,
      sessionId: null,
      action: 'sign-in-refused',
      subject: address,
      after: { clientIp, refusal: error.message },
    });
  }

  private origin(): string {
    return this.configuration.admin?.origin ?? '';
  }

  private chainIds(): number[] {
    const { ethereum, partner } = this.configuration.addressBook;
    return [ethereum.chainId, partner.chainId];
  }
}

function staleNonce(): AdminError {
  return refused('The nonce was not issued, was used, or has expired; request a new one');
}

function refused(message: string): AdminError {
  return new AdminError('SIGN_IN_REFUSED', message);
}
