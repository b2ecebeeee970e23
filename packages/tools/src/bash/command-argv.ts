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
  // A shell takes what begins so for further options.
  const endOfOptions = /^[-+]/.test(command) ? ['--'] : []
  const launched = ['-c', LAUNCHER, 'sh', shell, '-c', ...endOfOptions, command]
  return sandbox
    ? { file: sandbox.file, args: [...sandbox.args, '--', '/bin/sh', ...launched] }
    : { file: '/bin/sh', args: launched }
}
