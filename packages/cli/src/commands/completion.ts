import { Argument } from 'commander';
import { writeCompletion, SHELLS, type Shell } from '../output/completion.js';
import { defineCommand } from '../command.js';

export const command = defineCommand<object, [shell: Shell]>({
  define: (syntax) => {
    syntax
      .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
      .addHelpText('after', '\nFor bash: source <(causeway completion bash)');
  },
  run: async ({ loadProgram, printer }, _, [shell]) => {
    const script = writeCompletion(shell, await loadProgram());
    await printer.result({ shell, script }, () => [{ text: script }]);
    return 'done';
  },
});
