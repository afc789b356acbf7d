import { useQuery } from '@tanstack/react-query';
import { CopyButton } from '@causeway/ui/components';
import { shorten } from '@causeway/ui/format';
import { membersQuery } from '../api/queries.js';
import { useSession } from './session.js';

/** Returns a member's name in the configuration and role on the allow-list. */
export function useMember(address: string | null) {
  const members = useQuery({ ...membersQuery, staleTime: 60_000 }).data?.members;
  const member = members?.find((each) => each.address === address?.toLowerCase());
  return { name: member?.name ?? null, role: member?.role ?? null };
}

/** A member: name or short address, then "you" or the role. Shows the whole address on hover. */
export function Member({ address }: { readonly address: string }) {
  const session = useSession();
  const { name, role } = useMember(address);
  const words = session.address === address.toLowerCase() ? 'you' : role;
  return (
    <span className="inline-flex max-w-full items-center gap-1 whitespace-nowrap">
      <span title={address} className={name === null ? 'font-mono text-[0.8125rem]' : 'truncate'}>
        {name ?? shorten(address)}
      </span>
      {words === null ? null : <span className="text-muted">({words})</span>}
      <CopyButton text={address} label="address" />
    </span>
  );
}
