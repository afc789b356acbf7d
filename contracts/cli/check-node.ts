/** The oldest major version of Node that the command-line tools run under. */
const OLDEST_NODE = 24;

/**
 * Ends the process in one line when its Node is too old. Entry points call this before they import anything else: newer
 * syntax or packages would fail first, with a stack trace.
 *
 * @param command the name of the tool, for the message.
 */
export function checkNode(command: string, version: string = process.versions.node): void {
  if (Number.parseInt(version, 10) >= OLDEST_NODE) return;
  process.stderr.write(
    `${command} needs Node ${OLDEST_NODE} or newer, but this is Node ${version}: install a newer one\n`,
  );
  process.exit(1);
}
