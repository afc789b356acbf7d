import type { ConfigResponse, Side } from '@causeway/protocol';
import { claimableAbi } from '@causeway/protocol/abi';
import { claim, ContractError, getConfig, type Wallet } from '@causeway/sdk';
import { Option } from 'commander';
import { decodeFunctionResult, encodeFunctionData, formatUnits, type Address, type Hex } from 'viem';
import { defineCommand } from '../command.js';
import { UsageError } from '../errors.js';
import { describeChain, describeGas } from '../output/words.js';
import { connect } from '../settings/connection.js';
import { assertMaySend, confirm } from '../transfer/consent.js';
import { addSendOptions, parseGasFee, type SendOptions } from '../transfer/options.js';
import { runTransfer } from '../transfer/run.js';
import { openWallet } from '../transfer/wallet.js';

interface ClaimOptions extends SendOptions {
  readonly on: Side;
  readonly recipient?: string;
}

export const command = defineCommand<ClaimOptions, [asset: string]>({
  define: (syntax) => {
    addSendOptions(
      syntax
        .argument('<asset>', 'its symbol, such as USDC')
        .addOption(
          new Option('--on <chain>', 'chain of the credit').choices(['ethereum', 'partner']).makeOptionMandatory(),
        )
        .option('--recipient <address>', 'account to pay on that chain (default: the account with the credit)'),
    );
  },
  run: async (context, options, [symbol]) => {
    assertMaySend(context, options);
    const { printer, reads } = context;
    const { on: side } = options;
    const maxGasFee = parseGasFee(options.maxGasFee, side);
    const bridge = await connect(context);
    const config = await getConfig(bridge, reads);
    const asset = symbol.toUpperCase();
    const wallet = await openWallet(context, bridge, config, side, options);
    const recipient = (options.recipient ?? wallet.account) as Address;
    const credit = await readCredit(wallet, config, side, asset);
    const place = describeChain(config, side);
    if (credit === '0')
      throw new ContractError('NothingToPay', `${wallet.account} has no credit of ${asset} on ${place}`, {
        field: 'asset',
        nextStep: 'There is nothing to claim. Check the asset, --on and the key.',
      });
    printer.event({ event: 'terms', sender: wallet.account, recipient, asset, credit, maxGasFee });
    await printer.notice({
      rows: [
        ['Credit', `${credit} ${asset}`],
        ['Of', `${wallet.account} on ${place}`],
        ['Recipient', `${recipient} on ${place}`],
        ['Gas', describeGas(side, maxGasFee)],
      ],
    });
    await confirm(context, options, 'Claim it?');
    return runTransfer(context, { ...options, bridge }, async (shared) =>
      claim(bridge, wallet, { asset, side, recipient }, { ...shared, maxGasFee }),
    );
  },
});

/** Reads the credit of the wallet's account, as a plain decimal. */
async function readCredit(wallet: Wallet, config: ConfigResponse, side: Side, asset: string): Promise<string> {
  const token = config[side].tokens.find((each) => each.token === asset);
  if (token === undefined)
    throw new UsageError('asset', `must be one of ${config[side].tokens.map((each) => each.token).join(', ')}`);
  const to = side === 'ethereum' ? config.ethereum.bridgeLock : config.partner.bridgeMint;
  const args = [token.address, wallet.account] as const;
  const data = encodeFunctionData({ abi: claimableAbi, functionName: 'claimable', args });
  const answer = (await wallet.request('eth_call', [{ to, data }, 'latest'])) as Hex;
  return formatUnits(
    decodeFunctionResult({ abi: claimableAbi, functionName: 'claimable', data: answer }),
    token.decimals,
  );
}
