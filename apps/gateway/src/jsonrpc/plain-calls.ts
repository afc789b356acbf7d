import type { Method, PlainWay } from '../methods/method.js';
import type { ParsedMessage } from './parse-message.js';
import { PlainCall } from './plain-call.js';

/** An id that is written as JavaScript would write it. */
const ID = '(0|[1-9][0-9]{0,14}|"[-_0-9a-zA-Z]{0,64}")';
/**
 * What stands before the params. viem, web3.js and geth's client begin with `jsonrpc` and `id`; curl's examples have the id at the end, ethers, cast and
 * alloy both. viem, cast and alloy leave params out where there are none.
 */
const HEAD = new RegExp(`\\{("jsonrpc":"2\\.0",)?(?:"id":${ID},)?"method":"(\\w+)"(,"params":)?`, 'y');
const TAIL = new RegExp(`(?:,"id":${ID})?(,"jsonrpc":"2\\.0")?\\}`, 'y');
const NO_PARAMS = '[]';
/** The characters of `"method":"","params":`. */
const AROUND_METHOD = 21;
const COMMA = 0x2c;
const OPENING = 0x5b;
const CLOSING = 0x5d;
const CLOSING_BRACE = 0x7d;

/** What is known of a method that has a plain way. */
interface Plain {
  /** By which the gateway knows it: what a message says is a part of that message, and would keep the whole of it alive. */
  readonly name: string;
  readonly way: PlainWay;
  /** What is passed on for a call without params, whether it leaves them out or not; null if that has to be read. */
  readonly withoutParams: string | null;
}

/**
 * Reads messages whose calls are all written plainly: without spaces, their members in one of the usual orders, their params as a method's own pattern has
 * them. That is how clients write what they ask most, and it takes a third of the work of JSON.parse, the schemas and JSON.stringify.
 */
export class PlainCalls {
  readonly #known = new Map<string, Plain>();
  /** The place after the call that was read last. */
  #end = 0;

  constructor(methods: Iterable<Method>) {
    for (const { name, plain: way } of methods) {
      if (way === undefined) continue;
      const withoutParams =
        endOf(way.params, NO_PARAMS, 0) === null ? null : `"method":"${name}","params":${NO_PARAMS}`;
      this.#known.set(name, { name, way, withoutParams });
    }
  }

  /**
   * @param batchLimit most calls of a batch.
   * @returns the message, or null if anything at all is written another way: then it has to be read in full.
   */
  read(text: string, batchLimit: number): ParsedMessage | null {
    if (this.#known.size === 0) return null;
    if (text.charCodeAt(0) !== OPENING) {
      const entry = this.#readCall(text, 0);
      return entry !== null && this.#end === text.length ? { kind: 'single', entry } : null;
    }
    const entries: PlainCall[] = [];
    for (let at = 0; at < text.length - 1; at = this.#end) {
      const call = at === 0 || text.charCodeAt(at) === COMMA ? this.#readCall(text, at + 1) : null;
      if (call === null || entries.length === batchLimit) return null;
      entries.push(call);
    }
    return entries.length > 0 && text.charCodeAt(text.length - 1) === CLOSING ? { kind: 'batch', entries } : null;
  }

  #readCall(text: string, start: number): PlainCall | null {
    HEAD.lastIndex = start;
    const head = HEAD.exec(text);
    if (head === null) return null;
    const [, versionFirst, idFirst, method = '', paramsKey] = head;
    const known = this.#known.get(method);
    if (known === undefined) return null;
    const { name, way, withoutParams } = known;
    const at = HEAD.lastIndex;
    const end = paramsKey === undefined ? at : endOf(way.params, text, at);
    if (end === null) return null;
    const hasParams = end - at > NO_PARAMS.length;
    const written = hasParams ? text.slice(at - AROUND_METHOD - name.length, end) : withoutParams;
    const id = this.#readTail(text, end, versionFirst, idFirst);
    return id === null || written === null ? null : new PlainCall(id, name, way, written);
  }

  /** Reads on after the params. @returns the id, or null unless it and the version were given once each. */
  #readTail(text: string, start: number, versionFirst: string | undefined, idFirst: string | undefined): string | null {
    if (versionFirst !== undefined && idFirst !== undefined && text.charCodeAt(start) === CLOSING_BRACE) {
      this.#end = start + 1;
      return idFirst;
    }
    TAIL.lastIndex = start;
    const tail = TAIL.exec(text);
    if (tail === null) return null;
    this.#end = TAIL.lastIndex;
    const [, idLast, versionLast] = tail;
    const once = (idFirst === undefined) !== (idLast === undefined);
    return once && (versionFirst === undefined) !== (versionLast === undefined) ? (idFirst ?? idLast ?? null) : null;
  }
}

/** Where the pattern, which must be sticky, ends if it begins at `start`; null if it does not. */
function endOf(pattern: RegExp, text: string, start: number): number | null {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : null;
}
