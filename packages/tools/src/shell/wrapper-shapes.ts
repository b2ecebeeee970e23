// Commands that run another command which they are given as arguments, and how to find it: which of their options
// take a value of their own, and how many operands stand before the command.

export interface WrapperShape {
  /** Letters of options without and with a value. */
  readonly flags?: string
  readonly valued?: string
  readonly longFlags?: readonly string[]
  readonly longValued?: readonly string[]
  /** Operands before the command: `timeout 5 ls` has one. */
  readonly operands?: number
  /** `NAME=value` may stand before the command. */
  readonly takesAssignments?: boolean
  /** The command gets further arguments: `xargs`. */
  readonly givesMore?: boolean
  /** An option whose value is a folder to change to. */
  readonly folderOption?: string
}

const SUDO: WrapperShape = {
  flags: 'ABbEeHiKklNnPSsVv',
  valued: 'CDghpRrTtUu',
  longFlags: ['login', 'preserve-env', 'non-interactive', 'set-home', 'shell', 'stdin', 'background', 'askpass'],
  longValued: ['user', 'group', 'host', 'prompt', 'chdir', 'chroot', 'role', 'type', 'command-timeout', 'close-from'],
  takesAssignments: true,
  folderOption: 'D',
}

export const WRAPPER_SHAPES: Readonly<Record<string, WrapperShape>> = {
  sudo: SUDO,
  doas: { flags: 'Lns', valued: 'Cu' },
  pkexec: { longFlags: ['disable-internal-agent', 'keep-cwd'], longValued: ['user'] },
  run0: { longValued: ['user', 'group', 'unit', 'property', 'chdir', 'nice', 'setenv'] },
  env: {
    flags: 'i0v',
    valued: 'uCS',
    longFlags: ['ignore-environment', 'null', 'debug', 'default-signal', 'ignore-signal', 'block-signal'],
    longValued: ['unset', 'chdir', 'split-string'],
    takesAssignments: true,
    folderOption: 'C',
  },
  nice: { flags: '0123456789', valued: 'n', longValued: ['adjustment'] },
  ionice: { flags: 't', valued: 'cnpPu', longFlags: ['ignore'], longValued: ['class', 'classdata'] },
  timeout: {
    flags: 'fpv',
    valued: 'ks',
    longFlags: ['foreground', 'preserve-status', 'verbose'],
    longValued: ['kill-after', 'signal'],
    operands: 1,
  },
  nohup: {},
  exec: { flags: 'cl', valued: 'a' },
  command: { flags: 'pvV' },
  builtin: {},
  time: {
    flags: 'apqvV',
    valued: 'fo',
    longFlags: ['append', 'portability', 'quiet', 'verbose'],
    longValued: ['format', 'output'],
  },
  xargs: {
    flags: '0eiloprtx',
    valued: 'adEILnPs',
    longFlags: [
      'null',
      'no-run-if-empty',
      'verbose',
      'interactive',
      'exit',
      'open-tty',
      'show-limits',
      'replace',
      'eof',
    ],
    longValued: ['arg-file', 'delimiter', 'max-lines', 'max-args', 'max-procs', 'max-chars', 'process-slot-var'],
    givesMore: true,
  },
  parallel: {
    flags: '0kX',
    valued: 'jnNaIdS',
    longFlags: ['null', 'will-cite', 'keep-order', 'bar'],
    longValued: ['jobs'],
    givesMore: true,
  },
  setsid: { flags: 'cfw', longFlags: ['ctty', 'fork', 'wait'] },
  stdbuf: { valued: 'ioe', longValued: ['input', 'output', 'error'] },
  chroot: { longFlags: ['skip-chdir'], longValued: ['groups', 'userspec'], operands: 1 },
  chrt: { flags: 'abdfioRrv', valued: 'DPT', operands: 1 },
  taskset: { flags: 'ac', operands: 1 },
  setarch: { flags: 'BFILRSTXZ3v', operands: 1 },
  setpriv: {
    longFlags: ['no-new-privs', 'clear-groups', 'keep-groups', 'init-groups', 'reset-env'],
    longValued: ['reuid', 'regid', 'groups'],
  },
  prlimit: { longFlags: ['core', 'cpu', 'nofile', 'nproc', 'as', 'data', 'fsize', 'rss', 'stack'] },
  choom: { valued: 'np' },
  unshare: {
    flags: 'cfimnprTuCU',
    valued: 'RSGw',
    longFlags: ['fork', 'mount', 'net', 'pid', 'user', 'map-root-user', 'mount-proc'],
  },
  nsenter: {
    flags: 'aCeFimnpTuUr',
    valued: 'GStw',
    longFlags: ['all', 'mount', 'net', 'pid', 'uts', 'ipc'],
    longValued: ['target'],
  },
  bwrap: {},
  firejail: { longFlags: ['noprofile', 'quiet', 'net', 'private'] },
  strace: { flags: 'cCdfFhiknqrtTvVwxyYzZ', valued: 'abeEIoOpPsSuUX' },
  ltrace: { flags: 'bcCfhiLrStTV', valued: 'aAeDFlnopsuwx' },
  flock: {
    flags: 'enosux',
    valued: 'Ewc',
    longFlags: ['shared', 'exclusive', 'nonblock', 'close'],
    longValued: ['timeout', 'command'],
    operands: 1,
  },
  watch: {
    flags: 'bcdegptwx',
    valued: 'n',
    longFlags: ['differences', 'errexit', 'exec', 'no-title'],
    longValued: ['interval'],
  },
  fakeroot: { flags: 'hv', valued: 'lsi' },
  unbuffer: { flags: 'p' },
  'systemd-run': {
    flags: 'GPqrStd',
    valued: 'HMpu',
    longFlags: ['user', 'scope', 'pty', 'pipe', 'wait', 'quiet'],
    longValued: ['unit', 'property'],
  },
  'systemd-inhibit': { longValued: ['what', 'who', 'why', 'mode'] },
  'dbus-run-session': {},
  'start-stop-daemon': {},
  busybox: {},
  toybox: {},
}

/** Programs that run their arguments elsewhere or by their own rules. An approval by name never covers them. */
export const OTHER_RUNNERS: ReadonlySet<string> = new Set(
  [
    'ssh mosh su runuser sg docker podman nerdctl kubectl lxc machinectl flatpak vagrant tmux screen at batch crontab',
    'npx pnpx bunx uvx pipx dlx nix-shell direnv script expect socat gdb entr fd fdfind rush awk gawk mawk nawk',
    'valgrind perf hyperfine rr heaptrack cpulimit numactl linux32 linux64 i386 x86_64 uname26 capsh proot fakechroot faketime',
    'torsocks torify tsocks proxychains proxychains4 sshpass catchsegv dumb-init tini gosu su-exec setuidgid chpst softlimit',
    'envdir envuidgid s6-setuidgid s6-envdir dbus-launch xvfb-run run-parts cgexec newgrp systemd-nspawn distrobox toolbox wsl',
    'rlwrap unbuffer chronic sem retry watchexec nodemon concurrently forever pm2 foreman honcho overmind dtach abduco zellij',
    'dotenv doppler aws-vault envchain chamber mise rtx volta fnm devbox flox guix pixi hatch pdm rye tox nox act ld.so',
    'xterm asciinema ttyd gotty nq lldb',
  ].flatMap((line) => line.split(' ')),
)

export const AWKS: ReadonlySet<string> = new Set('awk gawk mawk nawk'.split(' '))

/** With `-u`, the command follows as it does after `sudo`. */
export const RUNUSER: WrapperShape = { flags: 'flmpP', valued: 'cgGsuw', longValued: ['user', 'group', 'command'] }

/** Programs that run the text of an option. */
export const INTERPRETERS: ReadonlySet<string> = new Set(
  'python python2 python3 perl ruby node nodejs bun deno php lua tclsh osascript'.split(' '),
)

export const SHELLS: ReadonlySet<string> = new Set('sh bash dash ash zsh ksh mksh rbash'.split(' '))
/** Their script language is not shell. */
export const FOREIGN_SHELLS: ReadonlySet<string> = new Set('fish csh tcsh pwsh nu xonsh elvish'.split(' '))
