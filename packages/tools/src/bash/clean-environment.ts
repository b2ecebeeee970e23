const PASSED = /^(?:PATH|HOME|LANG|LANGUAGE|LC_[A-Z]+|TZ|USER|LOGNAME|SHELL|TMPDIR|COLUMNS|LINES)$/

/** Programs of Windows do not start without some of these. Names have any case there: `Path` is the usual one. */
const PASSED_ON_WINDOWS =
  /^(?:PATH|PATHEXT|SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|TEMP|TMP|USERPROFILE|USERNAME|USERDOMAIN|HOME|HOMEDRIVE|HOMEPATH|APPDATA|LOCALAPPDATA|PROGRAMDATA|PROGRAMFILES(?:\(X86\))?|COMMONPROGRAMFILES(?:\(X86\))?|NUMBER_OF_PROCESSORS|PROCESSOR_ARCHITECTURE|OS|LANG|TZ)$/i

const PROXIES = /^(?:https?|all|no)_proxy$/i

/** How this machine reaches the network. Proxies may have passwords, so only the user who runs the server gets them. */
export function proxyEnvironment(server: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(server).flatMap(([name, value]) =>
      PROXIES.test(name) && value !== undefined ? [[name, value]] : [],
    ),
  )
}

/**
 * There is no terminal, no pager and nobody to type a password. Git does not discover bare repositories, and commands
 * such as `git status` do not start programs that a repository names.
 */
const SET = {
  TERM: 'dumb',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  GIT_CONFIG_COUNT: '2',
  GIT_CONFIG_KEY_0: 'safe.bareRepository',
  GIT_CONFIG_VALUE_0: 'explicit',
  GIT_CONFIG_KEY_1: 'core.fsmonitor',
  GIT_CONFIG_VALUE_1: 'false',
} as const

/** Marks every process of a call, wherever it moves in the process tree. */
export const MARKER_NAME = 'POLYLOGUE_CALL'

type Environment = Readonly<Record<string, string | undefined>>

/** The server's environment contains provider keys, so commands get only these variables and configured ones. */
export function cleanEnvironment(server: Environment, added: Environment, marker: string): Record<string, string> {
  const isPassed = passedNames()
  const passed = Object.entries(server).filter(([name]) => isPassed.test(name))
  const all = [...passed, ...Object.entries(SET), ...Object.entries(added), [MARKER_NAME, marker] as const]
  return Object.fromEntries(all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}

/** The names of variables that commands and MCP servers get from the server's own environment. */
export const passedNames = (system: NodeJS.Platform = process.platform): RegExp =>
  system === 'win32' ? PASSED_ON_WINDOWS : PASSED
