import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const PACKAGE = fileURLToPath(new URL('../..', import.meta.url));
const MAIN = join(PACKAGE, 'scripts', 'mutation', 'main.mjs');

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;
contract Box {
    uint256 private constant MAX = 9;
    uint256 public value;
    event Changed(uint256 previous, uint256 current);
    error TooMuch();
    error AlreadySet();
    modifier once() {
        if (value != 0) revert AlreadySet();
        _;
    }
    function set(uint256 next) external once {
        if (next > MAX) revert TooMuch();
        emit Changed(value, next);
        if (next == 4 && !isSet()) value |= half(next) + 1;
    }
    function isSet() public view returns (bool) {
        return value != 0;
    }
    function half(uint256 amount) private pure returns (uint256 result) {
        assembly {
            if gt(amount, 1) { result := div(amount, 2) }
        }
    }
}
`;

/** Kills all mutants except those that only an event, a second bit or another condition would show. */
const TEST = `// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;
import {Box} from "../../src/tokens/Box.sol";
contract BoxTest {
    function test_IsSetOnce() external {
        Box box = new Box();
        box.set(9);
        require(!box.isSet());
        box.set(4);
        require(box.isSet() && box.value() == 3);
        try box.set(1) {
            revert("Set twice");
        } catch {}
    }
    function test_HasAMaximum() external {
        Box box = new Box();
        try box.set(10) {
            revert("Too much");
        } catch {}
    }
}
`;

describe('the mutation test', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'causeway-mutation-'));
    symlinkSync(join(PACKAGE, 'node_modules'), join(root, 'node_modules'));
    write('src/tokens/Box.sol', SOURCE);
    write('test/unit/Box.t.sol', TEST);
    for (const name of ['hardhat.config.ts', 'package.json']) cpSync(join(PACKAGE, name), join(root, name));
  });

  afterEach(() => rmSync(root, { recursive: true }));

  function write(name: string, text: string): void {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }

  function run(...args: string[]): { status: number | null; output: string } {
    const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, '--sources', root, ...args], {
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    return { status, output: stdout + stderr };
  }

  it('changes every kind of code', () => {
    const shown = run('--show').output.matchAll(/^#\d+ src\/tokens\/Box\.sol:\d+ (.*)\n {2}- (.*)\n {2}\+ (.*)$/gm);
    const condition = 'if (next == 4 && !isSet())';
    const bit = 'value |= half(next) + 1';
    expect([...shown].map(([, where, original, mutated]) => [where, original, mutated])).toEqual([
      ['Box.once (guard)', 'if (value != 0) revert AlreadySet()', 'if (false) revert AlreadySet()'],
      ['Box.set (modifier)', 'set() once', 'set()'],
      ['Box.set (guard)', 'if (next > MAX) revert TooMuch()', 'if (false) revert TooMuch()'],
      ['Box.set (boundary)', 'if (next > MAX) revert TooMuch()', 'if (next >= MAX) revert TooMuch()'],
      ['Box.set (statement)', 'emit Changed(value, next)', ''],
      ['Box.set (order)', 'emit Changed(value, next)', 'emit Changed(next, value)'],
      ['Box.set (condition)', `${condition} ${bit}`, `if (true) ${bit}`],
      ['Box.set (condition)', `${condition} ${bit}`, `if (false) ${bit}`],
      ['Box.set (logic)', `${condition} ${bit}`, `if (next == 4 || !isSet()) ${bit}`],
      ['Box.set (operand)', `${condition} ${bit}`, `if (true && !isSet()) ${bit}`],
      ['Box.set (operand)', `${condition} ${bit}`, `if (next == 4 && true) ${bit}`],
      ['Box.set (comparison)', `${condition} ${bit}`, `if (next != 4 && !isSet()) ${bit}`],
      ['Box.set (number)', `${condition} ${bit}`, `if (next == 5 && !isSet()) ${bit}`],
      ['Box.set (negation)', `${condition} ${bit}`, `if (next == 4 && isSet()) ${bit}`],
      ['Box.set (statement)', bit, ''],
      ['Box.set (assignment)', bit, 'value &= half(next) + 1'],
      ['Box.set (assignment)', bit, 'value = half(next) + 1'],
      ['Box.set (arithmetic)', bit, 'value |= half(next) - 1'],
      ['Box.set (number)', bit, 'value |= half(next) + 2'],
      ['Box.isSet (comparison)', 'return value != 0', 'return value == 0'],
      ['Box.half (statement)', 'assembly { if gt(amount, 1) { result := div(amount, 2) } }', ''],
      ['Box.half (comparison)', 'gt(amount, 1)', '0'],
      ['Box (constant)', 'constant MAX', 'MAX + 1'],
      ['Box (constant)', 'constant MAX', 'MAX - 1'],
    ]);
  });

  it('fails on survivors without an explanation, and on explanations without a survivor', () => {
    const explain = (list: object[]) => write('test/mutation/survivors.json', JSON.stringify(list));
    const found = run();
    expect(found.output).toContain('24 of 24 mutants run, 20 killed');
    expect(found.status).toBe(1);
    const survivors: object[] = JSON.parse(readFileSync(join(root, 'cache/mutation/unexplained.json'), 'utf8'));
    expect(survivors).toHaveLength(4);

    const explained = survivors.map((survivor) => ({ ...survivor, reason: 'Not tested here.' }));
    explain(explained);
    expect(run().status).toBe(0);

    const constant = { file: 'src/tokens/Box.sol', function: 'Box', operator: 'constant', original: 'constant MAX' };
    const killed = { ...constant, mutated: 'MAX + 1', reason: 'No admin sets 10.' };
    explain([...explained.slice(1), killed, { ...killed, mutated: 'MAX + 2' }]);
    const { status, output } = run();
    expect(output).toContain('1 survivors without an explanation');
    expect(output).toContain('An explanation is of a mutant that a test kills: {"file":"src/tokens/Box.sol"');
    expect(output).toContain('An explanation matches no mutant: {"file":"src/tokens/Box.sol"');
    expect(status).toBe(1);
  }, 120_000);
});
