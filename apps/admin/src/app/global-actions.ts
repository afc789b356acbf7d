import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import {
  Download,
  FilePen,
  Keyboard,
  LogOut,
  Octagon,
  PauseCircle,
  Play,
  RotateCw,
  SunMoon,
  type LucideIcon,
} from 'lucide-react';
import { nextTheme } from '@causeway/ui/components';
import { apiUrl } from '../api/client.js';
import { signOut } from '../api/mutations.js';
import { download } from '../components/page-actions.js';
import { useRequestDialog } from '../requests/request-button.js';
import { useMay } from '../session/session.js';

/** An action that the command palette offers on every page. */
interface GlobalAction {
  readonly title: string;
  readonly icon: LucideIcon;
  readonly run: () => void;
}

/** Returns the actions that need no page and that the member's role allows. */
export function useGlobalActions({ onHelp }: { readonly onHelp: () => void }): readonly GlobalAction[] {
  const navigate = useNavigate();
  const ask = useRequestDialog();
  const leave = useMutation(signOut);
  const isOperator = useMay('operator');
  const go = (to: string, search: Record<string, string> = {}) => void navigate({ to, search });
  const ofOperators: readonly GlobalAction[] = [
    {
      title: 'Choose a delayed operation to retry',
      icon: RotateCw,
      run: () => go('/operations', { status: 'DELAYED' }),
    },
    { title: 'Pause the contracts', icon: PauseCircle, run: () => go('/pauses-and-halts', { call: 'pause' }) },
    { title: 'Unpause the contracts', icon: Play, run: () => go('/pauses-and-halts', { call: 'unpause' }) },
    { title: 'Halt deliveries', icon: Octagon, run: () => ask({ kind: 'HALT', target: 'deliveries' }) },
    {
      title: 'Resume deliveries',
      icon: Play,
      run: () => ask({ kind: 'RESUME', target: 'deliveries', accept: 'nothing' }),
    },
    { title: 'Prepare a contract call', icon: FilePen, run: () => go('/fees-and-limits', { call: 'any' }) },
  ];
  return [
    ...(isOperator ? ofOperators : []),
    { title: 'Export all operations as CSV', icon: Download, run: () => download(apiUrl('/operations.csv')) },
    { title: 'Export the audit log as CSV', icon: Download, run: () => download(apiUrl('/audit.csv')) },
    { title: 'Change the theme', icon: SunMoon, run: nextTheme },
    { title: 'Show the keyboard shortcuts', icon: Keyboard, run: onHelp },
    { title: 'Sign out', icon: LogOut, run: () => leave.mutate() },
  ];
}
