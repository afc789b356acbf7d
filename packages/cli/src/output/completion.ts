import type { Command } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** An option to complete. */
interface Flag {
  readonly long: string;
  readonly description: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

interface Completed {
  readonly name: string;
  readonly description: string;
  readonly flags: readonly Flag[];
  /** Choices of the first argument. */
  readonly words: readonly string[];
}

/** Writes the script that completes the commands and options of a program in a shell. */
export function writeCompletion(shell: Shell, program: Command): string {
  const shared = readFlags(program);
  const commands = program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    flags: [...readFlags(command), ...shared],
    words: command.registeredArguments[0]?.argChoices ?? [],
  }));
  return { bash: writeBash, zsh: writeZsh, fish: writeFish }[shell](program.name(), commands, shared);
}

function readFlags(command: Command): readonly Flag[] {
  return command.options.flatMap(({ long, description, argChoices = [], required, optional }) =>
    long === undefined || long === null
      ? []
      : [{ long, description, choices: argChoices, takesValue: required || optional }],
  );
}

const list = (flags: readonly Flag[]) => flags.map(({ long }) => long).join(' ');

/** An option without known values completes to file names. */
function writeBash(program: string, commands: readonly Completed[], shared: readonly Flag[]): string {
  const flags = commands.flatMap((command) => command.flags);
  const names = commands.map(({ name }) => name);
  const choices = new Map(flags.filter((flag) => flag.choices.length > 0).map((flag) => [flag.long, flag.choices]));
  const valued = new Set(flags.filter((flag) => flag.takesValue && flag.choices.length === 0).map(({ long }) => long));
  return `_${program}() {
  local word="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command='' each
  for each in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$each" in ${names.join('|')}) command="$each"; break;; esac
  done
  COMPREPLY=()
  case "$previous" in
${[...choices].map(([long, values]) => `    ${long}) COMPREPLY=($(compgen -W '${values.join(' ')}' -- "$word")); return;;`).join('\n')}
    ${[...valued].join('|')}) return;;
  esac
  case "$command" in
${commands.map(({ name, flags: own, words }) => `    ${name}) COMPREPLY=($(compgen -W '${[...words, list(own)].join(' ')}' -- "$word"));;`).join('\n')}
    *) COMPREPLY=($(compgen -W '${names.join(' ')} ${list(shared)}' -- "$word"));;
  esac
}
complete -o default -F _${program} ${program}`;
}

const quote = (text: string) => text.replaceAll("'", "'\\''");

function writeZsh(program: string, commands: readonly Completed[], shared: readonly Flag[]): string {
  const escape = (text: string) => quote(text).replaceAll(/[[\]:]/g, String.raw`\$&`);
  const toSpec = ({ long, description, takesValue, choices }: Flag) => {
    const value = choices.length > 0 ? `:value:(${choices.join(' ')})` : takesValue ? ':value:_files' : '';
    return `'${long}[${escape(description)}]${value}'`;
  };
  const write = (flags: readonly Flag[], last: string) =>
    `_arguments ${[...flags.map(toSpec), ...(last === '' ? [] : [last])].join(' ')}`;
  return `#compdef ${program}
_${program}() {
  local -a commands=(${commands.map(({ name, description }) => `'${name}:${escape(description)}'`).join(' ')})
  local command=\${words[(r)(${commands.map(({ name }) => name).join('|')})]}
  case $command in
${commands.map(({ name, flags, words }) => `    ${name}) ${write(flags, words.length > 0 ? `'*:value:(${words.join(' ')})'` : `'*:file:_files'`)};;`).join('\n')}
    *) _describe command commands; ${write(shared, '')};;
  esac
}
compdef _${program} ${program}`;
}

function writeFish(program: string, commands: readonly Completed[], shared: readonly Flag[]): string {
  const write = (condition: string, { long, description, takesValue, choices }: Flag) =>
    `complete -c ${program}${condition} -l ${long.slice(2)}${takesValue ? ' -r' : ''}` +
    `${choices.length > 0 ? ` -f -a '${choices.join(' ')}'` : ''} -d '${quote(description)}'`;
  const seen = (name: string) => ` -n '__fish_seen_subcommand_from ${name}'`;
  return [
    ...shared.map((flag) => write('', flag)),
    ...commands.flatMap(({ name, description, flags, words }) => [
      `complete -c ${program} -n __fish_use_subcommand -f -a ${name} -d '${quote(description)}'`,
      ...flags.filter((flag) => !shared.includes(flag)).map((flag) => write(seen(name), flag)),
      ...(words.length > 0 ? [`complete -c ${program}${seen(name)} -f -a '${words.join(' ')}'`] : []),
    ]),
  ].join('\n');
}
