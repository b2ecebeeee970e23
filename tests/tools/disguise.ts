/** The same command so that nobody can tell from its text what it names: what stops it then is the sandbox. */
export const disguised = (command: string): string =>
  `eval "$(echo ${Buffer.from(command).toString('base64')} | base64 -d)"`
