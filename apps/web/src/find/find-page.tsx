import { Button, Failure, Loading, TextField } from '@causeway/ui/components';
import { Navigate, useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { Page } from '../components/page.js';
import { FIND } from '../words/find.js';
import { parseEntry } from './entry.js';
import { LatestTransfers } from './latest-transfers.js';
import { useVerdict, VerdictCard } from './verdict.js';

/** One box for anything that names a transfer, and the latest transfers. */
export function FindPage() {
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const [error, setError] = useState<string | null>(null);
  const [hash, setHash] = useState<`0x${string}` | null>(null);
  const find = (event: FormEvent) => {
    event.preventDefault();
    const entry = parseEntry(text);
    setHash(entry.kind === 'hash' ? entry.hash : null);
    setError(entry.kind === 'malformed' || entry.kind === 'checksum' ? FIND.box[entry.kind] : null);
    if (entry.kind === 'address') void navigate({ to: '/history/$address', params: { address: entry.address } });
  };
  return (
    <Page title={FIND.title} isWide>
      <form onSubmit={find} noValidate className="flex flex-col items-start gap-3">
        <div className="w-full max-w-2xl">
          <TextField
            label={FIND.box.label}
            value={text}
            onChange={setText}
            hint={FIND.box.hint}
            error={error}
            type="search"
            placeholder="0x…"
          />
        </div>
        <Button type="submit" look="primary">
          {FIND.box.button}
        </Button>
      </form>
      {hash === null ? null : <Answer hash={hash} />}
      <LatestTransfers />
    </Page>
  );
}

/** Opens the transfer that a hash names, or says what else the hash is. */
function Answer({ hash }: { readonly hash: `0x${string}` }) {
  const { data, error, refetch } = useVerdict(hash);
  if (data === undefined)
    return error === null ? <Loading rows={2} /> : <Failure error={error} onRetry={() => void refetch()} />;
  const [id, further] = data.operationIds;
  if (id !== undefined && further === undefined) return <Navigate to="/transfer/$id" params={{ id }} />;
  return <VerdictCard verdict={data} />;
}
