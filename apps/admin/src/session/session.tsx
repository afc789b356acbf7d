import { useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { createContext, use, useEffect, useState, type ReactNode } from 'react';
import { includesRole, setAssets, type AdminRole, type SessionResponse } from '@causeway/protocol/admin';
import { Failure, Loading } from '@causeway/ui/components';
import { sessionQuery } from '../api/queries.js';

const SessionContext = createContext<SessionResponse | null>(null);

/** Returns the session of the signed-in member. Only below `SessionGate`. */
export function useSession(): SessionResponse {
  const session = use(SessionContext);
  if (session === null) throw new Error('useSession needs SessionGate above it');
  return session;
}

/** Returns whether the member has at least this role. The API enforces roles; pages only hide what it would refuse. */
export function useMay(role: AdminRole): boolean {
  return includesRole(useSession().role, role);
}

/** Shows its children to a signed-in member, and sends anyone else to sign-in and then back to the same URL. */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const query = useQuery(sessionQuery);
  if (query.data === undefined && query.isError) {
    return (
      <main className="mx-auto max-w-xl p-6">
        <h1 className="sr-only">Causeway console</h1>
        <Failure error={query.error} onRetry={() => void query.refetch()} />
      </main>
    );
  }
  if (query.data === undefined) {
    return (
      <main className="mx-auto max-w-xl p-6">
        <h1 className="sr-only">Causeway console</h1>
        <Loading />
      </main>
    );
  }
  if (query.data === null) return <ToSignIn />;
  setAssets(query.data.assets);
  return <SessionContext value={query.data}>{children}</SessionContext>;
}

/** Navigates to sign-in with the requested URL, which is kept because the location changes before this unmounts. */
function ToSignIn() {
  const navigate = useNavigate();
  const href = useLocation({ select: (location) => location.href });
  const [next] = useState(href);
  useEffect(() => {
    void navigate({ to: '/sign-in', search: next === '/' ? {} : { next }, replace: true });
  }, [navigate, next]);
  return null;
}
