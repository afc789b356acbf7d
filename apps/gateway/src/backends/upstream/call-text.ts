/**
 * A call as it is sent, but for its id: members of a JSON object. Equal calls have equal texts.
 *
 * @param method a name of the gateway's own, which needs no escaping.
 */
export function callText(method: string, params: readonly unknown[]): string {
  return `"method":"${method}","params":${JSON.stringify(params)}`;
}
