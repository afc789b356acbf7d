import { explainHash, type ExplainResponse } from '@causeway/sdk';
import { Card, Facts, Hash, Time } from '@causeway/ui/components';
import { shorten } from '@causeway/ui/format';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useBridge } from '../settings/context.js';
import { FIND } from '../words/find.js';

/** Asks the API what became of a hash; repeatedly if there is an interval. */
export function useVerdict(hash: `0x${string}` | null, interval: number | false = false) {
  const bridge = useBridge();
  return useQuery({
    queryKey: ['verdict', hash],
    queryFn: async ({ signal }) => explainHash(bridge, { hash: hash ?? '0x' }, { signal }),
    enabled: hash !== null,
    refetchInterval: interval,
  });
}

/** A verdict in words, with links to the transfers that it names. */
export function VerdictCard({ verdict }: { readonly verdict: ExplainResponse }) {
  const { hash, code, message, nextStep, operationIds, until, replacedBy } = verdict;
  return (
    <Card title={FIND.verdicts[code] ?? code}>
      <p className="mb-3 wrap-anywhere">{message}</p>
      <Facts
        facts={[
          [FIND.verdict.next, nextStep],
          [FIND.verdict.hash, <Hash key="hash" hex={hash} label="hash" />],
          ...(until === null ? [] : [[FIND.verdict.until, <Time key="until" at={until} />] as const]),
          ...(replacedBy === null
            ? []
            : [[FIND.verdict.replacedBy, <Hash key="by" hex={replacedBy} label="transaction" />] as const]),
          ...operationIds.map(
            (id, index) =>
              [
                FIND.verdict.transfer(index + 1),
                <Link key={id} to="/transfer/$id" params={{ id }} className="font-mono text-accent underline">
                  {shorten(id)}
                </Link>,
              ] as const,
          ),
        ]}
      />
    </Card>
  );
}
