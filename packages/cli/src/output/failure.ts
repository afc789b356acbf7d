import { getErrorDocsPath, linkToDocs } from '@causeway/protocol';
import type { Retry } from '@causeway/sdk';
import type { Exit } from './exit-codes.js';

/** A failure as programs read it. */
export interface Failure {
  /** The class of the error. */
  readonly error: string;
  /** The code of the API's refusal, contract error, finding or failed transaction; null without one. */
  readonly code: string | null;
  readonly message: string;
  readonly field: string | null;
  readonly retry: Retry;
  readonly nextStep: string | null;
  /** Link to the page about the error; null for a bug of this program. */
  readonly docs: string | null;
  /** All findings of a refused check. */
  readonly findings?: unknown;
  /** Everything that was checked before the transfer was declared undecided. */
  readonly looks?: unknown;
}

/** Exit codes by the names of error classes. */
const EXITS: Readonly<Record<string, Exit>> = {
  UsageError: 'usage',
  InvalidInputError: 'usage',
  CommanderError: 'usage',
  CheckError: 'refused',
  ContractError: 'refused',
  IntentUnpayableError: 'refused',
  ApiError: 'api',
  AnswerError: 'api',
  UnreachableError: 'network',
  NodeError: 'network',
  KeyError: 'network',
  WrongNetworkError: 'network',
  WrongAccountError: 'network',
  WalletRefusedError: 'network',
  WalletFailedError: 'network',
  UndecidedError: 'undecided',
  NotConfirmedError: 'unconfirmed',
  TransactionFailedError: 'ended',
  RecordError: 'record',
  InterruptedError: 'interrupted',
};

/** The SDK's words for users of a wallet page, and those for users of this program. */
const WORDS: readonly (readonly [ofSdk: RegExp, here: string])[] = [
  [/\bReport this to the developers of this app\b/g, 'See causeway --help'],
  [/\bReload or update this app\b/g, 'Check --api, or update this program'],
  [/\bcheck the hash\b/g, 'ask causeway explain'],
  [/\bcontinue the transfer\b/g, 'run causeway resume'],
  [/\bsend again\b/g, 'run causeway resume --send-again'],
  [/\bSwitch the wallet to\b/g, 'Give a node of'],
  [/\ballow a higher fee for gas\b/g, 'allow a higher fee with --max-gas-fee'],
  [/\baccept a higher fee\b/g, 'accept a higher fee with --max-fee-share'],
  [/\bGo on only if\b/g, 'Give --address-book and --partner-rpc to verify it, unless'],
  [/\bby one transaction instead of an intent\b/g, 'without --by-intent, or give --partner-rpc'],
  [/\bmaxFeeShareBps\b/g, '--max-fee-share'],
  [/\bmaxGasFee\b/g, '--max-gas-fee'],
];

/** Fields that errors of the SDK, viem and commander can have. */
interface KnownError {
  readonly name: string;
  readonly message: string;
  readonly field?: string;
  readonly code?: unknown;
  readonly errorName?: string | null;
  readonly reason?: string;
  readonly retry?: Retry;
  readonly nextStep?: string;
  readonly docsPath?: string;
  readonly shortMessage?: string;
  readonly findings?: readonly { readonly code: string; readonly nextStep: string }[];
  readonly looks?: unknown;
}

const CHECK_NODE = 'Check the address of the node, then try again.';

/**
 * Returns the exit code and the text of an error. A cause is never shown: it can contain a node's URL with its key.
 *
 * @param docsUrl see `linkToDocs`.
 */
export function describeFailure(error: unknown, docsUrl?: string): { readonly exit: Exit; readonly failure: Failure } {
  const known: KnownError = error instanceof Error ? error : { name: 'Error', message: String(error) };
  if (known.name === 'CommanderError') return { exit: 'usage', failure: describeUsage(known, docsUrl) };
  // viem's errors about nodes have a short message; their full message quotes the URL.
  const isOfNode = known.shortMessage !== undefined;
  const name = isOfNode ? 'NodeError' : known.name;
  const docsPath = isOfNode ? getErrorDocsPath(name) : known.docsPath;
  const nextStep = known.findings?.map(nameCode).join(' ') ?? known.nextStep;
  const code = known.code ?? known.errorName ?? known.reason ?? known.findings?.[0]?.code;
  const failure: Failure = {
    error: name,
    code: typeof code === 'string' ? code : null,
    message: translate(known.shortMessage ?? known.message),
    field: known.field ?? null,
    retry: known.retry ?? { helps: false },
    nextStep: nextStep === undefined ? (isOfNode ? CHECK_NODE : null) : translate(nextStep),
    docs: docsPath === undefined ? null : linkToDocs(docsPath, docsUrl),
    ...(known.findings === undefined ? {} : { findings: known.findings }),
    ...(known.looks === undefined ? {} : { looks: known.looks }),
  };
  return { exit: EXITS[name] ?? 'failed', failure };
}

/** Names the option that accepts a finding. At a question, the answer yes accepts it. */
function nameCode({ code, nextStep }: { readonly code: string; readonly nextStep: string }): string {
  return nextStep.replace('You can also begin anyway.', `To begin anyway, give --accept ${code}.`);
}

/** commander quotes the option or argument. */
function describeUsage({ message }: KnownError, docsUrl: string | undefined): Failure {
  const [sentence = ''] = message
    .replace(/^error: /, '')
    .replace('(outputHelp)', 'No command is named')
    .split('\n');
  const field = /'(?:.*, )?(?:--|<)?([\w-]+)/.exec(sentence)?.[1] ?? null;
  const nextStep = 'See causeway --help.';
  const [error, retry] = ['UsageError', { helps: false }] as const;
  const docs = linkToDocs(getErrorDocsPath(error), docsUrl);
  return { error, code: null, message: sentence, field, retry, nextStep, docs };
}

/** Replaces words of the SDK for users of this program. */
export function translate(sentence: string): string {
  return WORDS.reduce((text, [ofSdk, here]) => text.replaceAll(ofSdk, here), sentence);
}
