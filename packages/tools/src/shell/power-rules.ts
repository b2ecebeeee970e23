import type { Field } from './field.ts'
import { changedBy } from './named-paths.ts'
import { type PathContext, pathsOf } from './paths.ts'
import { type SimpleCommand, operandsOf } from './simple-command.ts'

const POWER_VERBS =
  /^(?:poweroff|reboot|halt|kexec|soft-reboot|suspend|hibernate|hybrid-sleep|rescue|emergency|exit)(?:\.target)?$/

/** Files of the kernel that end or stop the machine when something is written there. */
const POWER_FILES = /^\/(?:proc\/sysrq-trigger|sys\/power\/(?:state|disk)|proc\/acpi\/sleep)$/

/** The forbidden act that stops the machine, or everything on it. */
export function findHardlinePower(command: SimpleCommand, context: PathContext): string | undefined {
  const { name, args } = command
  const first = args[0]?.text ?? ''
  const isPowerFile = (field: Field): boolean => pathsOf(field, context).some((path) => POWER_FILES.test(path))
  if (changedBy(command).some(isPowerFile)) return 'write to a file of the kernel that stops the machine'
  switch (name) {
    case 'shutdown':
      return first === '-c' || isHelp(first) ? undefined : 'shutdown'
    case 'reboot':
    case 'halt':
    case 'poweroff':
      return isHelp(first) ? undefined : name
    case 'init':
    case 'telinit':
      return /^[016sS]$/.test(first) ? `${name} ${first}` : undefined
    case 'systemctl':
    case 'loginctl':
      return isPowerVerb(operandsOf(args).map(({ text }) => text)) ? `${name} power` : undefined
    case 'kill':
      return killsEverything(args.map(({ text }) => text)) ? 'kill of every process' : undefined
    case 'rtcwake':
      return args.some(({ text }) => /^(?:off|mem|disk|standby|freeze)$/.test(text)) ? name : undefined
    case 'pm-suspend':
    case 'pm-hibernate':
    case 'pm-suspend-hybrid':
      return isHelp(first) ? undefined : name
    case 'killall5':
      return 'kill of every process'
    case 'pkill':
    case 'skill':
    case 'killall':
      return namesEverything(args) ? 'kill of every process' : undefined
    case 'kexec':
      return args.some(({ text }) => /^-(?:[a-z]{0,9}[ef]|-exec$|-force$)/.test(text)) ? 'kexec' : undefined
    case 'dbus-send':
    case 'busctl':
    case 'gdbus':
      return args.some(({ text }) => POWER_METHOD.test(text)) ? `${name} power` : undefined
    default:
      return undefined
  }
}

const POWER_METHOD = /(?:^|\.)(?:PowerOff|Reboot|Halt|KExec|Suspend|Hibernate|HybridSleep)$/

/** `pkill .`, `pkill -v x`, `pkill -u root`, `killall -r '.*'`: a pattern that every name has, or none. */
function namesEverything(args: readonly Field[]): boolean {
  if (args.some(({ text }) => /^(?:-0|-l|-L|--help|--version|--list)$/.test(text))) return false
  if (args.some(({ text }) => /^(?:-[a-z]*v|--inverse)$/.test(text))) return true
  if (args.some(({ text }) => /^(?:-[uUgGst]|--(?:user|euid|uid|group|session|terminal))/.test(text))) {
    return args.some(({ text }) => text === 'root' || text === '0' || /^-[uU](?:root|0)$/.test(text))
  }
  return operandsOf(args).some(({ text }) => /^\^?(?:(?:\.|\[a-z\]|\[a-zA-Z\]|\\[wS])[*+]?)?\$?$/.test(text))
}

/** `systemctl status reboot.target` only reports. */
function isPowerVerb([verb = '', unit = '']: readonly string[]): boolean {
  if (/^(?:isolate|start)$/.test(verb)) return POWER_VERBS.test(unit)
  return POWER_VERBS.test(verb)
}

function isHelp(text: string): boolean {
  return text === '--help' || text === '--version'
}

/** The first argument of `kill` may be a signal (`-9`, `-s KILL`); `-1` after it means every process. */
function killsEverything(args: readonly string[]): boolean {
  const [first = ''] = args
  if (/^-(?:l|L|-list|-table)/.test(first)) return false
  const isNamed = /^-(?:s|n|-signal)$/.test(first)
  const signal = isNamed ? (args[1] ?? '') : first.replace(/^-(?:-signal=)?/, '')
  const hasSignal = /^-[^-]/.test(first) || first.startsWith('--signal')
  const targets = hasSignal ? args.slice(isNamed ? 2 : 1) : args
  if (hasSignal && signal === '0') return false
  return targets.some((target) => target === '-1')
}
