import { execFile } from 'node:child_process';

/** How a program ended. `output`: what it printed, its errors last. */
export interface CommandResult {
  readonly code: number;
  readonly output: string;
}

/** Runs a compiled module of ours until it ends by itself. */
export async function runToEnd(
  module: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [module, ...args], { env: { ...env } }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, output: `${stdout}${stderr}` }),
    );
  });
}
