import type { ReservesResponse } from '@causeway/sdk';
import { Button, Notice, SmallTable } from '@causeway/ui/components';
import { formatAmount, groupDigits } from '@causeway/ui/format';
import { useEffect, useState } from 'react';
import { STATUS } from '../words/status.js';
import type { CheckSettings } from './case.js';
import { connectNode } from './nodes.js';
import { checkReserves, type CheckedReserves } from './reserves.js';
import { makeVerifier } from './verifier.js';

const WORDS = STATUS.reservesCheck;

type Run =
  | { readonly kind: 'NONE' | 'RUNS' }
  | { readonly kind: 'FAILED'; readonly reason: string }
  | { readonly kind: 'DONE'; readonly checked: CheckedReserves };

interface ReservesCheckProps {
  readonly settings: CheckSettings;
  /** The URLs of the nodes, or null while they are not entered correctly. */
  readonly urls: Readonly<Record<'ethereum' | 'partner', readonly string[]>> | null;
  readonly readStatements: () => Promise<ReservesResponse>;
  /** Whether the check starts when it is shown. */
  readonly isStarted?: boolean;
}

/** Recomputes the reserves through the given nodes, and checks the attesters' statements. */
export default function ReservesCheck({ settings, urls, readStatements, isStarted = false }: ReservesCheckProps) {
  const [run, setRun] = useState<Run>({ kind: 'NONE' });
  const start = async (given: NonNullable<typeof urls>) => {
    setRun({ kind: 'RUNS' });
    try {
      const nodes = { ethereum: given.ethereum.map(connectNode), partner: given.partner.map(connectNode) };
      const checked = await checkReserves(await readStatements(), makeVerifier(settings, nodes));
      setRun({ kind: 'DONE', checked });
    } catch (error) {
      setRun({ kind: 'FAILED', reason: error instanceof Error ? error.message : String(error) });
    }
  };
  useEffect(() => {
    if (isStarted && urls !== null) void start(urls);
    // Only once.
  }, []);
  return (
    <div className="flex flex-col gap-3" aria-live="polite">
      <div>
        <Button
          isBusy={run.kind === 'RUNS'}
          onPress={() => {
            if (urls !== null) void start(urls);
          }}
        >
          {run.kind === 'RUNS' ? WORDS.running : WORDS.start}
        </Button>
      </div>
      {run.kind === 'FAILED' ? (
        <Notice tone="warn" title={WORDS.failed}>
          {run.reason}
        </Notice>
      ) : null}
      {run.kind === 'DONE' ? <Checked checked={run.checked} /> : null}
    </div>
  );
}

function Checked({ checked }: { readonly checked: CheckedReserves }) {
  const { assets, isOfStatement, blocks, statements, problems } = checked;
  return (
    <>
      {problems.length === 0 ? (
        <Notice tone="good" title={WORDS.right(statements)} />
      ) : (
        <Notice tone="bad" title={WORDS.wrong}>
          {problems.map((problem) => (
            <p key={problem}>{problem}</p>
          ))}
        </Notice>
      )}
      <SmallTable
        caption={WORDS.found}
        columns={Object.values(WORDS.columns)}
        numbers={Object.values(WORDS.columns).slice(1)}
        rows={assets.map(({ asset, locked, supply, held, inFlight, fees }) => ({
          key: asset,
          cells: [
            asset,
            ...[locked, supply, held, inFlight, fees].map((amount) => groupDigits(formatAmount(asset, `${amount}`))),
          ],
        }))}
      />
      <p className="text-xs text-muted">
        {isOfStatement || statements === 0 ? null : `${WORDS.unread} `}
        {WORDS.readAt(`${blocks.ethereum}`, `${blocks.partner}`)}
      </p>
    </>
  );
}
