import { describeRelease, getExitCode, variablesHelp } from '@causeway/service/configuration';
import { formatReport } from '@causeway/service/doctor';
import { linkToError, type Side } from '@causeway/protocol';
import { ACTIONS } from '@causeway/protocol/admin';
import type { Store } from '@causeway/store';
import { Command, CommanderError, Option } from 'commander';
import { readConfiguration, relayerVariables } from '../configuration.js';
import { readAuditSettings, verifyAudit } from './audit.js';
import type { DatabaseUse } from '../infrastructure.js';
import type { CommandContext } from './command-context.js';
import { cancelDelivery, explainDifference, listUnmatched, nameTransaction, retryDelivery } from './deliveries.js';
import { haltChain, listHalts, resumeChain } from './halts.js';
import { readOperatorSettings } from '../approval-variables.js';
import { readNotifySettings, testNotifications } from './notify.js';
import { approveRefund, listRefunds, refuseRefund, rejectIntent, type OperatorContext } from './refunds.js';

/**
 * Runs a command line, given without the program's name. A failure prints one message on stderr, and exits with code 1
 * or with the error's own exit code.
 *
 * @param words an empty list starts the service, as process managers and containers do.
 */
export async function runProgram(words: readonly string[]): Promise<void> {
  try {
    await createProgram().parseAsync(words.length === 0 ? ['start'] : [...words], { from: 'user' });
  } catch (error) {
    // Commander has already printed its own message.
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode;
      return;
    }
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    const link = linkToError(error, process.env['DOCS_URL'] || undefined);
    if (link !== null) process.stderr.write(`Docs: ${link}\n`);
    process.exit(getExitCode(error));
  }
}

function createProgram(): Command {
  const program = new Command('relayer')
    .description('The relayer of the bridge: the service, and commands for its operators.')
    .usage('<command>')
    .version(describeRelease('relayer'))
    .helpCommand(false)
    .showHelpAfterError('Run it with --help for its usage.')
    .exitOverride()
    .addHelpText('after', () => `\n${variablesHelp(relayerVariables)}`);
  const command = (name: string, description: string): Command =>
    program
      .command(name)
      .description(description)
      .addHelpText('after', '\nReads the environment variables that `relayer --help` lists.');

  command('start', 'Starts the service. It runs all stages while it holds the lease; otherwise it is passive.').action(
    async () => {
      const { startService } = await import('../service.js');
      await startService(readConfiguration(process.env));
    },
  );
  command('halts', 'Prints every halt with its start and reason.').action(() => withContext(listHalts));
  command('halt', ACTIONS.HALT.effect)
    .argument('<chain>', 'ethereum, partner or deliveries')
    .argument('<reason>', 'for the operator who resumes the chain')
    .action((chain: string, reason: string) => withContext((context) => haltChain(context, chain, reason)));
  command('resume', ACTIONS.RESUME.effect)
    .argument('<chain>', 'ethereum, partner or deliveries')
    .option('--accept-reorg', 'resume even though the chain lost final blocks; lost operations are not paid')
    .option('--accept-unknown', 'resume deliveries despite unknown ones that you have checked')
    .action((chain: string, options: { acceptReorg?: true; acceptUnknown?: true }) =>
      withContext((context) => resumeChain(context, chain, options)),
    );
  command('cancel', ACTIONS.CANCEL.effect)
    .argument('<operationId>')
    .option('--send', 'cancel it; without this option, only print what would be cancelled')
    .action((operationId: string, options: { send?: true }) =>
      withContext((context) => cancelDelivery(context, operationId, options.send === true)),
    );
  command('retry', ACTIONS.RETRY.effect)
    .argument('<operationId>')
    .action((operationId: string) => withContext((context) => retryDelivery(context, operationId)));
  command(
    'unmatched',
    'Prints payments, deposits, withdrawals and transfers that match no operation. Run it before any refund.',
  ).action(() => withContext(listUnmatched));
  addRefundCommands(program);
  command('explain', 'Stores why the wallet balance changed in a block that the relayer could not account for.')
    .argument('<block>', 'number of the block')
    .argument('<explanation>', 'for accounting')
    .addOption(new Option('--chain <side>', 'chain of the block').choices(['ethereum', 'partner']).default('partner'))
    .action((block: string, explanation: string, { chain }: { chain: Side }) =>
      withContext((context) => explainDifference(context, chain, block, explanation)),
    );
  command('name', 'Stores what a transaction of the wallet on Ethereum paid that is not in the journal.')
    .argument('<nonce>', 'its nonce, from the relayer log or `relayer unmatched`')
    .argument('<explanation>', 'for accounting')
    .option('--refund <refundId>', 'the refund that it paid; without this option, it paid none')
    .action((nonce: string, explanation: string, { refund }: { refund?: string }) =>
      withContext((context) => nameTransaction(context, nonce, explanation, refund)),
    );
  command('doctor', 'Checks everything that the relayer depends on, and suggests next steps. Writes nothing.')
    .option('--json', 'print the findings as JSON')
    .action(async ({ json }: { json?: true }) => {
      const { examineRelayer } = await import('./doctor/doctor.js');
      const report = await examineRelayer(process.env, Date.now);
      process.stdout.write(`${formatReport(report, json === true)}\n`);
      process.exitCode = report.exitCode;
    });
  addNotifyCommand(program);
  addAuditCommand(program);
  command('rebuild', 'Fills an empty database from the two chains alone. No relayer may run in the meantime.').action(
    () =>
      withContext(async (context) => {
        const { rebuildDatabase } = await import('./restore/rebuild.js');
        await rebuildDatabase(context);
      }, RESTORE_DATABASE),
  );
  const reconcile = command(
    'reconcile',
    'Compares a restored database with both chains, and repairs what they prove. Relayers must be stopped, or wait.',
  );
  reconcile
    .usage('[finish]')
    .helpCommand(false)
    .action(() =>
      withContext(async (context) => {
        const { reconcileDatabase } = await import('./restore/reconcile.js');
        await reconcileDatabase(context);
      }, RESTORE_DATABASE),
    )
    .command('finish')
    .description('Ends a reconciliation after ten minutes without unknown transactions. Relayers that wait continue.')
    .action(() =>
      withContext(async (context) => {
        const { finishReconciliation } = await import('./restore/reconcile.js');
        await finishReconciliation(context);
      }),
    );
  return program;
}

/** The command needs neither a key nor the database. */
function addNotifyCommand(program: Command): void {
  program
    .command('notify')
    .description('Sends a test message to each configured notification channel.')
    .requiredOption('--test', 'send it, and print whether each channel accepted it; exit code 1 if one did not')
    .addHelpText('after', '\nNeeds ENVIRONMENT and the NOTIFY_ variables.')
    .action(async () => {
      if (!(await testNotifications(readNotifySettings(process.env), printLine))) process.exitCode = 1;
    });
}

/** Anyone who can read the database can run this command; it needs no other variable. */
function addAuditCommand(program: Command): void {
  program
    .command('audit')
    .description('Checks the audit log of the admin API.')
    .usage('<verify>')
    .helpCommand(false)
    .command('verify')
    .description('Verifies the hash chain of the audit log from its first row; exit code 1 if a row breaks it.')
    .option('--head <sequence:hash>', 'the head that an earlier run printed, to detect rows that were cut off')
    .addHelpText('after', '\nNeeds DATABASE_URL.')
    .action(async ({ head }: { head?: string }) => {
      const { databaseUrl } = readAuditSettings(process.env);
      await withStore(databaseUrl, async (store) => {
        if (!(await verifyAudit({ store, print: printLine }, head))) process.exitCode = 1;
      });
    });
}

/** These commands need neither the relayer's key nor a node: operators run them with their own keys. */
function addRefundCommands(program: Command): void {
  const help = '\nNeeds ENVIRONMENT, DATABASE_URL, ADDRESS_BOOK, OPERATORS and, to sign, OPERATOR_KEYSTORE.';
  const refund = program
    .command('refund')
    .description('Lists, approves and refuses refunds.')
    .usage('<list | approve | refuse>')
    .helpCommand(false);
  const command = (parent: Command, name: string, description: string) =>
    parent.command(name).description(description).addHelpText('after', help);
  command(
    refund,
    'list',
    'Prints the refunds that are neither paid nor refused, with the decisions about them.',
  ).action(() => withOperator(listRefunds));
  command(refund, 'approve', 'Signs an approval. The relayer pays when enough operators have signed the same.')
    .argument('<refundId>')
    .option('--recipient <address>', 'pay this address, on evidence, instead of the payer; two operators must name it')
    .option('--despite <releases...>', 'releases of the same sum that paid other transfers, not this one')
    .action((refundId: string, { recipient, despite }: { recipient?: string; despite?: string[] }) =>
      withOperator((context) => approveRefund(context, refundId, recipient, despite)),
    );
  command(refund, 'refuse', 'Signs a refusal. Once enough operators have signed it, the refund is never paid.')
    .argument('<refundId>')
    .action((refundId: string) => withOperator((context) => refuseRefund(context, refundId)));
  command(
    program,
    'reject',
    'Signs the rejection of an intent. Once two operators have signed it, the intent fails and its refund is requested.',
  )
    .argument('<intentId>')
    .action((intentId: string) => withOperator((context) => rejectIntent(context, intentId)));
}

async function withOperator(run: (context: OperatorContext) => Promise<void>): Promise<void> {
  const settings = readOperatorSettings(process.env);
  await withStore(settings.databaseUrl, async (store) => run({ store, settings, print: printLine }));
}

async function withStore(databaseUrl: string, run: (store: Store) => Promise<void>): Promise<void> {
  const { openStore } = await import('@causeway/store');
  const store = openStore({ databaseUrl, maxConnections: 2, onIdleError: () => undefined });
  try {
    await store.assertCompatible();
    await run(store);
  } finally {
    await store.close();
  }
}

function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** These commands run alone; both chains write concurrently. */
const RESTORE_DATABASE: DatabaseUse = { maxConnections: 8 };
/** The other commands run beside the service. */
const FEW_CONNECTIONS: DatabaseUse = { maxConnections: 2, claims: false };

async function withContext(
  run: (context: CommandContext) => Promise<void>,
  database: DatabaseUse = FEW_CONNECTIONS,
): Promise<void> {
  const configuration = readConfiguration(process.env);
  // Imported dynamically, so that `--help` does not load the database client.
  const { closeChains, connectInfrastructure } = await import('../infrastructure.js');
  const infrastructure = await connectInfrastructure(configuration, database);
  try {
    await run({ ...infrastructure, print: printLine });
  } finally {
    closeChains(infrastructure.chains);
    await infrastructure.store.close();
  }
}
