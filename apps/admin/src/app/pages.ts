import {
  Activity,
  ArrowLeftRight,
  BadgeCheck,
  BellRing,
  FileSignature,
  LayoutDashboard,
  PauseCircle,
  ScrollText,
  Server,
  Settings,
  SlidersHorizontal,
  Undo2,
  type LucideIcon,
} from 'lucide-react';

/** A page of the navigation and of the command palette. `key`: pressed after `g`. */
export interface PageEntry {
  readonly to: string;
  readonly title: string;
  readonly icon: LucideIcon;
  readonly key: string;
}

/** The pages in groups, in the order of the navigation. */
export const PAGE_GROUPS: readonly { readonly title: string; readonly pages: readonly PageEntry[] }[] = [
  {
    title: 'Monitor',
    pages: [
      { to: '/', title: 'Overview', icon: LayoutDashboard, key: 'h' },
      { to: '/operations', title: 'Operations', icon: ArrowLeftRight, key: 'o' },
      { to: '/intents', title: 'Intents', icon: FileSignature, key: 'i' },
      { to: '/refunds', title: 'Refunds', icon: Undo2, key: 'r' },
      { to: '/alerts', title: 'Alerts', icon: BellRing, key: 'l' },
    ],
  },
  {
    title: 'Control',
    pages: [
      { to: '/approvals', title: 'Approvals', icon: BadgeCheck, key: 'a' },
      { to: '/fees-and-limits', title: 'Fees and limits', icon: SlidersHorizontal, key: 'f' },
      { to: '/pauses-and-halts', title: 'Pauses and halts', icon: PauseCircle, key: 'p' },
      { to: '/relayers', title: 'Relayers', icon: Server, key: 'e' },
    ],
  },
  {
    title: 'Record',
    pages: [
      { to: '/audit', title: 'Audit log', icon: ScrollText, key: 'u' },
      { to: '/settings', title: 'Settings', icon: Settings, key: 's' },
    ],
  },
];

/** All pages. */
export const PAGES: readonly PageEntry[] = PAGE_GROUPS.flatMap(({ pages }) => pages);

/** The icon of an operation in the palette. */
export const OPERATION_ICON: LucideIcon = Activity;
