import { useCheck, useTransfer, type UseTransferResult } from '@causeway/react';
import {
  isBegun,
  planDeposit,
  readFunds,
  switchChain,
  type CausewayErrorType,
  type CheckReport,
  type FindingCode,
  type Wallet,
} from '@causeway/sdk';
import { Button } from '@causeway/ui/components';
import { formatUnits, groupDigits } from '@causeway/ui/format';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, type RefObject } from 'react';
import { useBridge, useSettings } from '../settings/context.js';
import { makeChain } from '../wallet/chains.js';
import { readAs, useSdkWallet } from '../wallet/sdk-wallet.js';
import type { PageWallet } from '../wallet/use-wallet.js';
import { MOVE } from '../words/move.js';
import { Findings } from './findings.js';
import { getOrigin, mayBegin, nameSignature, type MoveForm } from './form.js';
import { QuoteFacts } from './quote-facts.js';
import { REFRESH_MS, type Terms } from './use-terms.js';

/** The parts of the form that need a connected wallet. They load apart from the first view. */
interface ConnectedProps {
  readonly form: MoveForm;
  readonly terms: Terms;
  readonly wallet: PageWallet;
  readonly onChange: (change: Partial<MoveForm>) => void;
}

/** The most that the account can move, in whole coins. */
function useFunds({ form, terms, wallet: { account } }: Pick<ConnectedProps, 'form' | 'terms' | 'wallet'>) {
  const bridge = useBridge();
  const settings = useSettings();
  const { asset, direction } = form;
  const { kind, digits } = terms;
  const { data } = useQuery({
    queryKey: ['funds', account, kind, asset],
    queryFn: async ({ signal }) =>
      readFunds(bridge, readAs(settings, getOrigin(direction), account ?? '0x'), { kind, asset }, { signal }),
    enabled: account !== null,
    refetchInterval: 2 * REFRESH_MS,
  });
  const format = (atomic: bigint | undefined) => (atomic === undefined ? null : formatUnits(atomic, digits.decimals));
  return { balance: format(data?.balance), most: format(data?.most) };
}

/** The balance, and a button for the most that the account can move. */
export function Funds({ onChange, ...props }: ConnectedProps) {
  const { asset } = props.form;
  const { balance, most } = useFunds(props);
  return (
    <div className="flex flex-1 flex-wrap items-center justify-between gap-2">
      <p className="text-xs text-muted">{balance === null ? '' : MOVE.balance(groupDigits(balance), asset)}</p>
      {most === null ? null : (
        <Button isSmall aria-label={MOVE.maxLabel(most, asset)} onPress={() => onChange({ amount: most })}>
          {MOVE.max}
        </Button>
      )}
    </div>
  );
}

/** Quote, findings and the button that begins the transfer. */
export function Begin({
  form,
  terms,
  wallet,
  isClosed,
  isConfirmed,
  accepted,
  onChange,
  onAccept,
  submit,
}: ConnectedProps & {
  readonly isClosed: boolean;
  readonly isConfirmed: boolean;
  readonly accepted: readonly FindingCode[];
  readonly onAccept: (code: FindingCode) => void;
  /** Set to what the button does, for the Enter key. */
  readonly submit: RefObject<() => void>;
}) {
  const settings = useSettings();
  const signer = useSdkWallet(wallet);
  const { transfer: planned } = terms;
  const check = useCheck({ wallet: signer, transfer: planned }, { refetchInterval: REFRESH_MS });
  const { refetch } = check;
  useEffect(() => void refetch(), [wallet.chainId, refetch]);
  const { most } = useFunds({ form, terms, wallet });
  const quote = check.data?.quote ?? null;
  const steps = useDepositSteps(signer, terms, check.data, wallet.chainId);
  const origin = getOrigin(form.direction);
  const switching = useMutation<void, CausewayErrorType>({
    mutationFn: async () => {
      if (signer !== null) await switchChain(signer, makeChain(settings, origin));
    },
    onSettled: async () => refetch(),
  });
  // At most the fee that is shown.
  const maxFee = quote === null ? {} : { maxFee: BigInt(quote.feeAmount) };
  const transfer = useTransfer({ wallet: signer, accept: accepted, ...maxFee });
  const action = chooseAction({
    terms,
    form,
    isClosed,
    isConfirmed,
    // The wallet's node of another chain may not answer.
    isElsewhere:
      check.error === null
        ? check.data?.actualChainId !== check.data?.expectedChainId
        : wallet.chainId !== settings.addressBook[origin].chainId,
    report: check.data,
    hasFailed: check.error !== null,
    accepted,
    steps,
    transfer,
    chain: settings[origin].name,
  });
  useEffect(() => {
    submit.current = () => {
      if (action.isDisabled) return;
      if (action.does === 'switch') switching.mutate();
      else if (planned !== null) transfer.begin(planned);
    };
  });
  return (
    <>
      <QuoteFacts
        form={form}
        quote={quote}
        gasFee={check.data?.gasFee ?? null}
        isQuoting={planned !== null && check.data === undefined && check.error === null}
      />
      <Findings
        form={form}
        findings={planned === null ? [] : (check.data?.findings ?? [])}
        errors={[planned === null ? terms.error : check.error, switching.error]}
        most={most}
        accepted={accepted}
        isSwitching={switching.isPending}
        onSwitch={() => switching.mutate()}
        onChange={onChange}
        onAccept={onAccept}
      />
      <Button
        type="submit"
        look="primary"
        isDisabled={action.isDisabled}
        isBusy={transfer.status === 'running' || switching.isPending}
      >
        {action.words}
      </Button>
      <p role="status" className="empty:hidden">
        {transfer.record === null ? transfer.message : ''}
      </p>
    </>
  );
}

/** Reads how a deposit is signed. Null while unknown; empty for other transfers, and if it cannot be read. */
function useDepositSteps(
  wallet: Wallet | null,
  { kind, transfer }: Terms,
  report: CheckReport | undefined,
  chainId: number | null,
) {
  const bridge = useBridge();
  const isRead = kind === 'DEPOSIT' && transfer?.asset !== 'ETH';
  const steps = useQuery({
    queryKey: ['steps', wallet?.account, transfer, chainId],
    queryFn: async ({ signal }) => {
      if (wallet === null || transfer === null || report === undefined) return [];
      const { asset, recipient } = transfer;
      const terms = { asset, amount: report.amount, recipient: recipient as `0x${string}` };
      return planDeposit(bridge, wallet, terms, { signal });
    },
    enabled: isRead && transfer !== null && report?.quote !== null && report?.block !== null && report !== undefined,
    staleTime: Infinity,
  });
  if (!isRead || steps.error !== null) return [];
  return steps.data ?? null;
}

interface Action {
  readonly words: string;
  readonly does: 'switch' | 'begin';
  readonly isDisabled: boolean;
}

/** Chooses what the button does, and names it. */
function chooseAction(state: {
  readonly terms: Terms;
  readonly form: MoveForm;
  readonly isClosed: boolean;
  readonly isConfirmed: boolean;
  readonly isElsewhere: boolean;
  readonly report: CheckReport | undefined;
  readonly hasFailed: boolean;
  readonly accepted: readonly FindingCode[];
  readonly steps: ReturnType<typeof useDepositSteps>;
  readonly transfer: UseTransferResult;
  readonly chain: string;
}): Action {
  const words = MOVE.buttons;
  const { terms, form, report, hasFailed, steps, transfer } = state;
  const stop = (text: string): Action => ({ words: text, does: 'begin', isDisabled: true });
  const { record, outcome } = transfer;
  if (transfer.status === 'running') return stop(record === null ? words.checking : words.running);
  if (state.isClosed) return stop(words.closed);
  if (record !== null && outcome === null && isBegun(record)) return stop(words.open);
  if (terms.parsed.state === 'empty') return stop(words.amount);
  if (terms.parsed.state === 'wrong' || terms.recipientProblem !== null) return stop(words.correct);
  if (!state.isConfirmed) return stop(words.recipient);
  if (state.isElsewhere) return { words: words.switch(state.chain), does: 'switch', isDisabled: false };
  if (report === undefined || terms.transfer === null) return stop(hasFailed ? words.findings : words.checking);
  if (hasFailed || !mayBegin(report, state.accepted)) return stop(words.findings);
  if (steps === null) return stop(words.checking);
  const named = { kind: terms.kind, asset: form.asset, amount: terms.amount };
  return { words: nameSignature(named, steps), does: 'begin', isDisabled: false };
}
