import { chainProfile, type ConfigResponse, type Environment } from '@causeway/protocol';
import { getConfig } from '@causeway/sdk';
import { defineCommand } from '../command.js';
import type { Block } from '../output/printer.js';
import { connect, hasApi } from '../settings/connection.js';

const ENVIRONMENTS: readonly Environment[] = ['mainnet', 'testnet', 'local'];

export const command = defineCommand<object, []>({
  define: () => undefined,
  run: async (context) => {
    const environments = ENVIRONMENTS.map(chainProfile);
    const config = hasApi(context) ? await getConfig(await connect(context), context.reads) : null;
    await context.printer.result({ environments, bridge: config }, () => [
      {
        head: ['Environment', 'Ethereum', 'Partner chain', 'Default confirmations', 'Default hold'],
        rows: environments.map(
          ({ environment, ethereumChainId, partnerChainId, requiredConfirmations, holdSeconds }) => [
            environment,
            String(ethereumChainId),
            String(partnerChainId),
            `${requiredConfirmations.ethereum} and ${requiredConfirmations.partner}`,
            `${holdSeconds} s`,
          ],
        ),
      },
      ...(config === null
        ? [{ text: 'Give --api <url> to see the chains and contracts of a bridge.' }]
        : describeBridge(config)),
    ]);
    return 'done';
  },
});

function describeBridge(config: ConfigResponse): readonly Block[] {
  const { environment, ethereum, partner, relayerWalletAddress, holdSeconds } = config;
  const { walletChain } = partner;
  return [
    { text: `This bridge: ${environment}` },
    {
      rows: [
        ['BridgeLock', `${ethereum.bridgeLock} on chain ${ethereum.chainId}`],
        ['BridgeMint', `${partner.bridgeMint} on chain ${partner.chainId}`],
        ['Relayer wallet', relayerWalletAddress ?? 'currently unknown'],
        ['Confirmations', `${ethereum.requiredConfirmations} and ${partner.requiredConfirmations}`],
        ['Hold of withdrawals', `${holdSeconds} s`],
        ['Node of Ethereum', ethereum.walletChain?.rpcUrls.join(', ') ?? 'no public node'],
        ['Node of the partner chain', walletChain?.rpcUrls.join(', ') ?? 'no public node'],
      ],
    },
    {
      head: ['Asset', 'On Ethereum', 'On the partner chain', 'Decimals'],
      rows: ethereum.tokens.map(({ token, address, decimals }) => [
        token,
        address,
        partner.tokens.find((each) => each.token === token)?.address ?? 'none',
        String(decimals),
      ]),
    },
  ];
}
