import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const SCRIPT = fileURLToPath(new URL('../../scripts/reference.mjs', import.meta.url));

function reference(...args: string[]): { status: number | null; stderr: string } {
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, ...args], { encoding: 'utf8' });
  return { status, stderr };
}

describe('the NatSpec of the contracts', () => {
  it('documents every public item', () => {
    expect(reference()).toEqual({ status: 0, stderr: '' });
  });

  it('names what lacks documentation', () => {
    const root = mkdtempSync(join(tmpdir(), 'causeway-natspec-'));
    mkdirSync(join(root, 'src'));
    const source = `// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;
/// @title A title
contract Bare {
    uint256 public value;
    /// @notice Documented.
    uint256 public known;
    /// @notice Something happened.
    /// @param who Who did it.
    event Happened(address who, uint256 what);
    error Wrong();
    /// @notice Does something.
    function act(uint256 amount) external returns (bool) {}
    function secret() private {}
}`;
    writeFileSync(join(root, 'src', 'Bare.sol'), source);
    const { status, stderr } = reference('--sources', root);
    rmSync(root, { recursive: true });
    expect(status).toBe(1);
    expect(stderr.trim().split('\n')).toEqual([
      'src/Bare.sol: Bare lacks @notice',
      'src/Bare.sol: value value lacks @notice',
      'src/Bare.sol: event Happened lacks @param what',
      'src/Bare.sol: error Wrong lacks @notice',
      'src/Bare.sol: function act lacks @param amount',
      'src/Bare.sol: function act lacks @return',
    ]);
  });
});
