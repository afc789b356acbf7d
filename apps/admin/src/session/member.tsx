import { useQuery } from '@tanstack/react-query';
import { membersQuery } from '../api/queries.js';
import { CopyButton } from '../components/value.js';
import { shorten } from '../format/amounts.js';
import { useSession } from './session.js';

/** A member: the short address with its role on the allow-list, or "you". The whole address on hover. */
export function Member({ address }: { readonly address: string }) {
  const session = useSession();
  const role = useQuery({ ...membersQuery, staleTime: 60_000 }).data?.members.find(
    (member) => member.address === address.toLowerCase(),
  )?.role;
  const words = session.address === address.toLowerCase() ? 'you' : role;
  return (
    <span className="inline-flex max-w-full items-center gap-1 whitespace-nowrap">
      <span title={address} className="font-mono text-[0.8125rem]">
        {shorten(address)}
      </span>
      {words === undefined ? null : <span className="text-muted">({words})</span>}
      <CopyButton text={address} label="address" />
    </span>
  );
}
