import { existsSync, mkdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '@causeway/test-kit';
import type { Hex } from 'viem';
import type { SignedEntry } from '../../src/record/entry.js';
import { readContent } from '../../src/record/record-file.js';
import { launchAttester } from '../setup/attester.js';
import { findSide, toBatch } from '../setup/batches.js';
import type { TestBridge } from '../setup/bridge.js';
import { startExchange, type TestExchange } from '../setup/exchange.js';
import type { Claim, Dispute } from './disputes.js';
import type { Random } from './random.js';
import type { Life, SignatureLog } from './signature-log.js';

// One key whose attester is repeatedly killed and restarted, with the record that it left or a restored one.

export const VALIDITY_SECONDS = 3;
/** Longest time until a process works. */
const LONGEST_START_MS = 2_000;
/** The wait after the start, plus some seconds of signing. */
const LONGEST_WORK_MS = 9_000;
const ASK_PAUSE_MS = 400;

/** The record that a process finds: as left, with a partial line, restored, none, or a copy. */
export const RESTARTS = ['same', 'torn', 'backup', 'empty', 'copy'] as const;
/** The moment of a kill: during the start, at work, when the record grows, after a signature was sent. */
const MOMENTS = ['start', 'work', 'record', 'signature'] as const;

/** The parts shared by all keys. */
export interface Campaign {
  readonly bridge: TestBridge;
  readonly log: SignatureLog;
  readonly disputes: readonly Dispute[];
}

interface Asked {
  readonly claim: Claim;
  readonly validUntil: bigint;
}

export class Victim {
  private lives = 0;
  private memory = 0;
  private readonly backups: Buffer[] = [];

  /** @param env the attester's environment, without record and exchange. */
  constructor(
    private readonly key: string,
    private readonly env: Readonly<Record<string, string>>,
    private readonly campaign: Campaign,
    private readonly random: Random,
  ) {}

  /** Starts the attester, and kills it at a random moment. */
  async live(restart: (typeof RESTARTS)[number]): Promise<void> {
    const main = this.makeFolder('main');
    if (restart === 'torn') tear(join(main, 'record'), this.random);
    if (restart === 'backup') this.restore(main, this.backups);
    if (restart === 'empty') this.restore(main, []);
    const lives = [this.run(main, `main ${this.memory}`)];
    if (restart === 'copy') {
      const copy = this.makeFolder(`copy-${this.lives}`);
      this.restore(copy, this.random.pick([[], this.backups]));
      lives.push(this.run(copy, `copy ${this.lives}`));
    }
    await Promise.all(lives);
  }

  private makeFolder(name: string): string {
    const folder = join(this.campaign.bridge.folder, `${this.key}-${name}`);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  }

  private restore(folder: string, backups: readonly Buffer[]): void {
    this.memory += 1;
    const content = backups.length === 0 ? Buffer.alloc(0) : this.random.pick(backups);
    writeFileSync(join(folder, 'record'), content, { mode: 0o600 });
  }

  private async run(folder: string, memory: string): Promise<void> {
    const { campaign, random, key } = this;
    this.lives += 1;
    const file = join(folder, 'record');
    const exchange = await startExchange();
    const asked = new Map<Hex, Asked>();
    const end = new AbortController();
    const moment = random.pick(MOMENTS);
    const life: Life = { key, memory, startedAtMs: Date.now(), endedAtMs: null };
    const logged: Promise<void>[] = [];
    exchange.onSignature = (digest) => {
      const { claim, validUntil } = asked.get(digest) as Asked;
      logged.push(campaign.log.add(life, claim, validUntil));
      if (moment === 'signature') end.abort();
    };
    const size = readIfThere(file).length;
    const child = launchAttester({ ...this.env, DATA_DIRECTORY: folder, EXCHANGE_URLS: exchange.url });
    const watcher = watch(folder, () => {
      if (moment === 'record' && readIfThere(file).length > size) end.abort();
    });
    const asking = this.ask(exchange, asked, end.signal);
    if (moment === 'start') await pause(random.next() * LONGEST_START_MS, end.signal);
    else {
      await waitUntil('the attester works', () => child.printed().includes('"started"'));
      await pause(random.next() * LONGEST_WORK_MS, end.signal);
    }
    end.abort();
    // A backup made while the attester writes can end within a line.
    this.backups.push(readIfThere(file));
    await child.end('SIGKILL');
    life.endedAtMs = Date.now();
    watcher.close();
    await asking;
    await Promise.all(logged);
    await exchange.stop();
    this.checkRecord(file, life);
  }

  /** Shows random claims, and asks for them. */
  private async ask(exchange: TestExchange, asked: Map<Hex, Asked>, end: AbortSignal): Promise<void> {
    const { bridge, disputes } = this.campaign;
    while (!end.aborted) {
      const claim = this.random.pick(this.random.pick(disputes));
      for (const item of claim.items) exchange.show(item);
      const { timestamp } = await bridge.clients[findSide(claim.items)].getBlock();
      const validUntil = timestamp + BigInt(VALIDITY_SECONDS);
      const batch = toBatch(claim.items, { setNumber: 1n, validUntil }, bridge.book);
      asked.set(batch.digest, { claim, validUntil });
      exchange.ask(batch);
      await pause(ASK_PAUSE_MS, end);
    }
  }

  /** Every sent signature is in the record, and a kill damages no line of it. */
  private checkRecord(file: string, life: Life): void {
    const entries: SignedEntry[] = [];
    // The first life can end before it has a record.
    const { damagedLine } = existsSync(file)
      ? readContent(file, (entry) => entries.push(entry))
      : { damagedLine: null };
    if (damagedLine !== null) throw new Error(`Line ${damagedLine} of ${file} is damaged`);
    const isRecorded = (id: Hex, validUntil: bigint) =>
      entries.some((entry) => entry.id === id && entry.validUntil === validUntil);
    for (const { item, validUntil } of this.campaign.log.payments.filter((payment) => payment.life === life))
      if (!isRecorded(item.id, validUntil)) throw new Error(`${file} lacks the signature for ${item.id}`);
  }
}

async function pause(ms: number, end: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: end }).catch(() => undefined);
}

function readIfThere(file: string): Buffer {
  return existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
}

/** Adds a partial line, as a crash can leave it. */
function tear(file: string, random: Random): void {
  const content = readIfThere(file);
  const whole = content.subarray(0, content.lastIndexOf('\n') + 1);
  const part = whole.subarray(0, random.int(0, whole.indexOf('\n')));
  writeFileSync(file, Buffer.concat([whole, part]), { mode: 0o600 });
}
