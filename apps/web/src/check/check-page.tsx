import { Button, Card, Notice, TextField } from '@causeway/ui/components';
import { OPERATION_STEPS, type OperationFacts, type OperationStep } from '@causeway/verifier';
import { useEffect, useState } from 'react';
import type { Hex } from 'viem';
import { Page } from '../components/page.js';
import { resolveApiUrl, type Settings } from '../settings/settings.js';
import { CHECK } from '../words/check.js';
import { STATUS } from '../words/status.js';
import type { FieldJudgement } from './case.js';
import { readClaim, readStatements, type Claimed } from './claim.js';
import { readFacts } from './facts.js';
import { judge } from './judge.js';
import { connectNode, hostNodes, loadNodes, parseNodes, saveNodes, type NodeTexts } from './nodes.js';
import ReservesCheck from './reserves-check.js';
import { Result } from './result.js';
import { makeVerifier } from './verifier.js';

type Step = 'claim' | OperationStep;
const ALL_STEPS: readonly Step[] = ['claim', ...OPERATION_STEPS];

/** A finished check. */
export interface Checked {
  readonly asked: Hex;
  readonly claimed: Claimed;
  readonly facts: OperationFacts;
  readonly rows: readonly FieldJudgement[];
}

type Run =
  | { readonly kind: 'NONE' }
  | { readonly kind: 'RUNS'; readonly step: Step }
  | { readonly kind: 'FAILED'; readonly reason: string }
  | { readonly kind: 'DONE'; readonly checked: Checked };

const SIDES = ['ethereum', 'partner'] as const;

/** The transfer in the address: `check.html#<id or hash>`. */
const readFragment = () => location.hash.slice(1);

/** Compares what the API says about a transfer with both chains, through the reader's nodes. */
export function CheckPage({ settings }: { readonly settings: Settings }) {
  const [asked, setAsked] = useState(readFragment);
  const [nodes, setNodes] = useState(() => loadNodes(settings));
  const [run, setRun] = useState<Run>({ kind: 'NONE' });
  const [isShown, showProblems] = useState(false);
  useEffect(() => {
    const follow = () => setAsked(readFragment());
    window.addEventListener('hashchange', follow);
    return () => window.removeEventListener('hashchange', follow);
  }, []);
  const id = asked.trim().toLowerCase();
  const wrongId = /^0x[0-9a-f]{64}$/.test(id) ? null : CHECK.wrongTransfer;
  const parsed = { ethereum: parseNodes(nodes.ethereum), partner: parseNodes(nodes.partner) };
  const start = async () => {
    showProblems(true);
    if (wrongId !== null || !('urls' in parsed.ethereum) || !('urls' in parsed.partner)) return;
    saveNodes(settings, nodes);
    history.replaceState(null, '', `#${id}`);
    const urls = { ethereum: parsed.ethereum.urls, partner: parsed.partner.urls };
    try {
      const checked = await check(id as Hex, settings, urls, (step) => setRun({ kind: 'RUNS', step }));
      setRun({ kind: 'DONE', checked });
    } catch (error) {
      setRun({ kind: 'FAILED', reason: error instanceof Error ? error.message : String(error) });
    }
  };
  const findProblem = (side: (typeof SIDES)[number]) => {
    const { [side]: one } = parsed;
    return 'problem' in one ? one.problem : null;
  };
  return (
    <Page title={CHECK.title} isWide>
      <p className="max-w-prose text-muted">{CHECK.intro}</p>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void start();
        }}
      >
        <TextField
          label={CHECK.transfer}
          hint={CHECK.transferHint}
          value={asked}
          onChange={setAsked}
          error={isShown ? wrongId : null}
        />
        <NodeFields settings={settings} nodes={nodes} onChange={setNodes} findProblem={findProblem} />
        <div>
          <Button type="submit" look="primary" isBusy={run.kind === 'RUNS'}>
            {run.kind === 'RUNS' ? CHECK.checking : CHECK.check}
          </Button>
        </div>
      </form>
      <div aria-live="polite">{run.kind === 'RUNS' ? <Progress step={run.step} /> : null}</div>
      {run.kind === 'FAILED' ? (
        <Notice tone="bad" title={CHECK.failed}>
          {run.reason}
        </Notice>
      ) : null}
      {run.kind === 'DONE' ? <Result checked={run.checked} /> : null}
      <Card title={STATUS.reservesCheck.title}>
        <p className="mb-3 max-w-prose text-muted">{STATUS.reservesCheck.intro}</p>
        <ReservesCheck
          settings={settings}
          urls={toUrls(parsed)}
          readStatements={async () => readStatements(resolveApiUrl(settings))}
        />
      </Card>
    </Page>
  );
}

/** Null while an entry is wrong. */
function toUrls({ ethereum, partner }: Readonly<Record<(typeof SIDES)[number], ReturnType<typeof parseNodes>>>) {
  return 'urls' in ethereum && 'urls' in partner ? { ethereum: ethereum.urls, partner: partner.urls } : null;
}

/** The claim is read first: then the chains are at least as far as what it says. */
async function check(
  asked: Hex,
  settings: Settings,
  urls: Readonly<Record<(typeof SIDES)[number], readonly string[]>>,
  onStep: (step: Step) => void,
): Promise<Checked> {
  onStep('claim');
  const claimed = await readClaim(resolveApiUrl(settings), asked);
  const nodes = { ethereum: urls.ethereum.map(connectNode), partner: urls.partner.map(connectNode) };
  const verifier = makeVerifier(settings, nodes);
  const facts = await readFacts(asked, claimed.claim, verifier, onStep);
  return { asked, claimed, facts, rows: judge(asked, claimed.claim, facts, { settings, verifier }) };
}

function NodeFields({
  settings,
  nodes,
  onChange,
  findProblem,
}: {
  readonly settings: Settings;
  readonly nodes: NodeTexts;
  readonly onChange: (nodes: NodeTexts) => void;
  readonly findProblem: (side: (typeof SIDES)[number]) => string | null;
}) {
  const ofHost = hostNodes(settings);
  const isOfHost = SIDES.every((side) => nodes[side] === ofHost[side]);
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        {SIDES.map((side) => (
          <TextField
            key={side}
            isLong
            label={CHECK.nodes(settings[side].name)}
            hint={CHECK.nodesHint}
            value={nodes[side]}
            onChange={(text) => onChange({ ...nodes, [side]: text })}
            error={findProblem(side)}
          />
        ))}
      </div>
      {isOfHost ? (
        <Notice tone="info" title={CHECK.hostNodes} />
      ) : (
        <div>
          <Button onPress={() => onChange(ofHost)}>{CHECK.useHostNodes}</Button>
        </div>
      )}
    </>
  );
}

function Progress({ step }: { readonly step: Step }) {
  const now = ALL_STEPS.indexOf(step);
  const state = (index: number) => (index < now ? CHECK.done : index === now ? CHECK.reading : CHECK.open);
  return (
    <Card title={CHECK.checking}>
      <ol className="flex flex-col gap-1.5">
        {ALL_STEPS.map((each, index) => (
          <li key={each} className={index === now ? 'font-medium' : 'text-muted'}>
            {CHECK.steps[each]}: {state(index)}
          </li>
        ))}
      </ol>
    </Card>
  );
}
