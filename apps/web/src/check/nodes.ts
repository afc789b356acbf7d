import type { Side } from '@causeway/sdk';
import type { Node } from '@causeway/verifier';
import { createClient, http, webSocket } from 'viem';
import type { Settings } from '../settings/settings.js';
import { CHECK } from '../words/check.js';

/** The URLs of a reader's nodes as entered, one a line. */
export type NodeTexts = Readonly<Record<Side, string>>;

const getKey = ({ addressBook }: Settings) =>
  `causeway.nodes.${addressBook.environment}.${addressBook.ethereum.chainId}`;

/** The nodes that the host chose. */
export function hostNodes({ ethereum, partner }: Settings): NodeTexts {
  return { ethereum: ethereum.rpcUrls.join('\n'), partner: partner.rpcUrls.join('\n') };
}

/** The nodes that the reader chose last in this browser, or those of the host. */
export function loadNodes(settings: Settings): NodeTexts {
  try {
    const { ethereum, partner } = JSON.parse(localStorage.getItem(getKey(settings)) ?? '{}') as Partial<NodeTexts>;
    if (typeof ethereum === 'string' && typeof partner === 'string') return { ethereum, partner };
  } catch {
    // Storage is blocked, or another program wrote there.
  }
  return hostNodes(settings);
}

export function saveNodes(settings: Settings, nodes: NodeTexts): void {
  try {
    localStorage.setItem(getKey(settings), JSON.stringify(nodes));
  } catch {
    // Storage is blocked: the nodes are entered again next time.
  }
}

/** The URLs of a text, or the sentence that says what is wrong with it. */
export function parseNodes(text: string): { readonly urls: readonly string[] } | { readonly problem: string } {
  const urls = text.split(/\s+/).filter((url) => url !== '');
  const wrong = urls.find((url) => !URL.canParse(url) || !/^(?:https?|wss?):$/.test(new URL(url).protocol));
  if (wrong !== undefined) return { problem: CHECK.wrongNode(wrong) };
  const repeated = urls.find((url, index) => urls.indexOf(url) !== index);
  if (repeated !== undefined) return { problem: CHECK.repeatedNode(repeated) };
  return urls.length === 0 ? { problem: CHECK.noNodes } : { urls };
}

/** The path of a URL can contain a key, so reasons name the host alone. */
export function connectNode(url: string, index: number): Node {
  const transport = url.startsWith('ws') ? webSocket(url, { retryCount: 0 }) : http(url, { retryCount: 0 });
  return { name: `${new URL(url).host} (${index + 1})`, client: createClient({ transport }) };
}
