import { zeroAddress, type Address } from 'viem';
import type { Side } from '@causeway/verifier';
import type { EventArguments } from './event-encoder.ts';
import { Operations } from './operations.ts';
import { DAY, LOCK, MINIMUM_FEES, MINT, SYMBOLS, UNITS, type Event, type Payment } from './world.ts';

/** Deployment, upkeep, and the changes of keys, sets, offices and settings. */
export abstract class Governance extends Operations {
  protected deploy(side: Side): void {
    const { contract, timelock } = this.settings[side];
    const { relayer, guardian, policyManager } = this.roles[side];
    const toChange = (name: string, current: Address): Event => [contract, name, { previous: zeroAddress, current }];
    const fees = side === 'partner' ? SYMBOLS : [];
    this.send(side, [
      [contract, 'OwnershipTransferred', { previousOwner: zeroAddress, newOwner: timelock }],
      toChange('GuardianChanged', guardian),
      toChange('PolicyManagerChanged', policyManager),
      toChange('RelayerChanged', relayer),
      [contract, 'AttestersSet', this.attesterSet(1n)],
      ...SYMBOLS.map((asset): Event => {
        const token = this.token(side, asset);
        return [contract, 'TokenListed', { token, granularityExponent: 0n, unitExponent: 6n }];
      }),
      ...fees.map((asset): Event => {
        const { bps, minFee } = this.policies[asset];
        return [contract, 'FeePolicySet', { token: this.token(side, asset), bps, minFee, minAmount: 2n * minFee }];
      }),
      ...(side === 'ethereum' ? [[contract, 'TreasurySet', { treasury: this.account() }] as const] : []),
    ]);
  }

  protected attesterSet(setNumber: bigint): EventArguments {
    const attesters = [this.account(), this.account(), this.account()].toSorted();
    return { setNumber, attesters, threshold: 2n };
  }

  /** Upkeep and changes of trust: all kinds in any chain, more in a longer one. */
  protected plan(end: number): void {
    const kinds: readonly (() => void)[] = [
      () => this.collectFees(),
      () => this.retire(),
      () => this.topUp(),
      () => this.setPolicy(),
      () => this.setPolicy(),
      () => this.rotate('RelayerChanged', 'relayer'),
      () => this.rotate('GuardianChanged', 'guardian'),
      () => this.rotate('PolicyManagerChanged', 'policyManager'),
      () => this.setAttesters(),
      () => this.activateStandby(),
      () => this.replaceOffice(),
      () => this.pause(),
      () => this.setPausers(),
      () => this.announceSuccessor(),
      () => this.setTreasury(),
    ];
    const rounds = Math.max(1, Math.floor((end - this.time) / (2 * DAY)));
    for (let round = 0; round < rounds; round += 1)
      for (const action of kinds) this.at(this.time + 1 + Math.floor(this.random() * (end - this.time)), action);
    for (let time = this.time + 1_000; time < end + 2_000; time += 1_000) this.at(time, () => this.retire());
  }

  protected collectFees(): void {
    for (const asset of SYMBOLS) {
      const amount = this.fees[asset];
      this.fees[asset] = 0n;
      if (amount > 0n)
        this.send('ethereum', [[LOCK, 'FeesCollected', { token: this.token('ethereum', asset), amount }]]);
    }
  }

  protected retire(): void {
    for (const asset of ['ETH', 'USDC'] as const) {
      const amount = this.unretired[asset];
      this.unretired[asset] = 0n;
      if (amount > 0n) this.send('partner', [[MINT, 'Retired', { token: this.token('partner', asset), amount }]]);
    }
  }

  protected topUp(): void {
    for (const side of ['ethereum', 'partner'] as const)
      this.send(side, [
        [this.settings[side].contract, 'ToppedUp', { sender: this.account(), amount: this.makeAmount('ETH') }],
      ]);
  }

  protected setPolicy(): void {
    const asset = this.pick(SYMBOLS);
    const policy = { bps: BigInt(5 + Math.floor(this.random() * 40)), minFee: MINIMUM_FEES[asset] + UNITS[asset] };
    this.policies[asset] = policy;
    const token = this.token('partner', asset);
    this.send('partner', [[MINT, 'FeePolicySet', { token, ...policy, minAmount: 2n * policy.minFee }]]);
    this.send('ethereum', [
      [LOCK, 'OutflowLimitSet', { token: this.token('ethereum', asset), capacity: 10n ** 24n, window: 3_600n }],
      [LOCK, 'MaxAmountSet', { token: this.token('ethereum', asset), maxAmount: 10n ** 24n }],
    ]);
  }

  /** A call of the timelock: announced, and executed a while later. One of five announcements is cancelled. */
  protected announce(side: Side, target: Address, toEvents: () => readonly Event[]): void {
    const { timelock = zeroAddress } = this.settings[side];
    const [id, call] = [this.takeHash(), { index: 0n, target, value: 0n, data: '0x12345678' }];
    this.send(side, [
      [timelock, 'CallScheduled', { ...call, id, predecessor: `0x${'0'.repeat(64)}`, delay: 600n }],
      [timelock, 'CallSalt', { id, salt: this.takeHash() }],
    ]);
    this.at(this.later(600, 900), () => {
      if (this.random() < 0.2) {
        this.send(side, [[timelock, 'Cancelled', { id }]]);
        this.announce(side, target, toEvents);
      } else this.send(side, [...toEvents(), [timelock, 'CallExecuted', { ...call, id }]]);
    });
  }

  protected rotate(name: string, role: 'relayer' | 'guardian' | 'policyManager'): void {
    const side = this.pickSide();
    const { contract, sentinel } = this.settings[side];
    this.announce(side, contract, () => {
      const roles = this.roles[side];
      const previous = roles[role];
      // A new sentinel would need settings of its own: the role returns to the old one.
      roles[role] = role === 'guardian' && previous !== sentinel && sentinel !== undefined ? sentinel : this.account();
      return [[contract, name, { previous, current: roles[role] }]];
    });
  }

  protected setAttesters(): void {
    for (const side of ['ethereum', 'partner'] as const) {
      const { contract } = this.settings[side];
      this.announce(side, contract, () => {
        this.roles[side].setNumber += 1n;
        return [[contract, 'AttestersSet', this.attesterSet(this.roles[side].setNumber)]];
      });
    }
  }

  protected activateStandby(): void {
    const side = this.pickSide();
    const { contract } = this.settings[side];
    this.announce(side, contract, () => {
      const standby = this.account();
      this.at(this.later(10, 100), () => {
        const previous = this.roles[side].relayer;
        this.roles[side].relayer = standby;
        this.send(side, [
          [contract, 'StandbyChanged', { standby: zeroAddress }],
          [contract, 'RelayerChanged', { previous, current: standby }],
        ]);
      });
      return [[contract, 'StandbyChanged', { standby }]];
    });
  }

  /** By votes of two offices, and later by an announced call. */
  protected replaceOffice(): void {
    const side = this.pickSide();
    const { timelock = zeroAddress } = this.settings[side];
    const roles = this.roles[side];
    const replace = (office: 0 | 1 | 2): Event => {
      const former = roles.offices[office];
      roles.offices[office] = this.account();
      roles.officeRound += 1n;
      return [timelock, 'OfficeReplaced', { office, former, account: roles.offices[office], round: roles.officeRound }];
    };
    const [subject, voter] = [this.takeHash(), this.account()];
    this.send(side, [[timelock, 'Voted', { subject, voter, until: BigInt(this.time + DAY) }]]);
    this.send(side, [[timelock, 'VoteCarried', { subject, first: voter, second: this.account() }], replace(0)]);
    this.announce(side, timelock, () => [replace(2)]);
  }

  /** A pause by the sentinel, lifted by an announced call or by a vote. */
  protected pause(): void {
    const side = this.pickSide();
    const { contract, sentinel = zeroAddress, timelock = zeroAddress } = this.settings[side];
    const roles = this.roles[side];
    if (roles.guardian !== sentinel) return;
    roles.pauses += 1n;
    const paused = { beginningsPausedUntil: BigInt(this.time + DAY), deliveriesPaused: true, count: roles.pauses };
    this.send(side, [
      [sentinel, 'PausedBy', { by: this.account() }],
      [contract, 'PauseSet', { ...paused, by: sentinel }],
    ]);
    const lift = (): Event => [
      contract,
      'PauseSet',
      { beginningsPausedUntil: 0n, deliveriesPaused: false, count: roles.pauses, by: timelock },
    ];
    if (this.random() < 0.5) return this.announce(side, contract, () => [lift()]);
    const vote = { subject: this.takeHash(), first: this.account(), second: this.account() };
    this.at(this.later(10, 100), () => this.send(side, [[timelock, 'VoteCarried', vote], lift()]));
  }

  protected setPausers(): void {
    const side = this.pickSide();
    const { sentinel = zeroAddress } = this.settings[side];
    const pauser = this.account();
    this.send(side, [[sentinel, 'PauserAdded', { pauser, round: 1n }]]);
    this.at(this.later(100, 1_000), () => this.send(side, [[sentinel, 'PauserRemoved', { pauser }]]));
  }

  protected announceSuccessor(): void {
    const side = this.pickSide();
    const { contract, timelock = zeroAddress } = this.settings[side];
    const successor = this.account();
    this.announce(side, contract, () => {
      const vote = { subject: this.takeHash(), first: this.account(), second: this.account() };
      this.at(this.later(10, 100), () =>
        this.send(side, [
          [timelock, 'VoteCarried', vote],
          [contract, 'SuccessionEnded', { successor }],
        ]),
      );
      return [[contract, 'SuccessorAnnounced', { successor, handOverFrom: BigInt(this.time + 30 * DAY) }]];
    });
  }

  protected setTreasury(): void {
    this.announce('ethereum', LOCK, () => [[LOCK, 'TreasurySet', { treasury: this.account() }]]);
  }

  /** The admin reopens a number whose payment was right. Nothing pays it again. */
  protected mayReopen(side: Side, origin: Side, paid: readonly Payment[]): void {
    const [payment] = paid;
    if (payment === undefined || (this.reopenings.size > 0 && this.random() > 0.002)) return;
    const { contract } = this.settings[side];
    const word = payment.number / 256n;
    this.announce(side, contract, () => {
      const key = `${origin}${word}`;
      const count = this.reopenings.get(key) ?? 0n;
      this.reopenings.set(key, count + 1n);
      return [[contract, 'Reopened', { word, mask: 1n << (payment.number % 256n), count }]];
    });
  }
}
