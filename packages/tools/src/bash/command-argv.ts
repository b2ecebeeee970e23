export interface CommandArgv {
  readonly file: string
  readonly args: readonly string[]
}

/**
 * Makes files that others may read, leaves no core dumps, gives way to the server (which must get to end it, should it
 * take all there is); then it becomes the shell that runs the command.
 */
const LAUNCHER = 'umask 022; ulimit -c 0; exec nice -n 5 "$@"'

/** How a command is started: its bytes are the last argument, as they were approved. */
export function buildCommandArgv(command: string, shell: string, sandbox?: CommandArgv): CommandArgv {
  const launched = ['-c', LAUNCHER, 'sh', shell, ...shellArguments(command)]
  return sandbox
    ? { file: sandbox.file, args: [...sandbox.args, '--', '/bin/sh', ...launched] }
    : { file: '/bin/sh', args: launched }
}

/** It ends with this shell; without one, with whichever thread of an editor has started it. */
const HOLDER = '"$@"; exit "$?"'

/** The same for a terminal of an editor, which shows what it starts. */
export function buildTerminalArgv(command: string, shell: string, sandbox?: CommandArgv): CommandArgv {
  return sandbox
    ? {
        file: '/bin/sh',
        args: ['-c', HOLDER, 'sh', sandbox.file, ...sandbox.args, '--', shell, ...shellArguments(command)],
      }
    : { file: shell, args: shellArguments(command) }
}

function shellArguments(command: string): readonly string[] {
  // A shell takes what begins so for further options.
  return ['-c', ...(/^[-+]/.test(command) ? ['--'] : []), command]
}
