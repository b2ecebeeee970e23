import { type SimpleCommand, operandsOf } from './simple-command.ts'

const POWER_VERBS = /^(?:poweroff|reboot|halt|kexec|soft-reboot|suspend|hibernate|hybrid-sleep|rescue|emergency|exit)$/

/** What of the floor ends the machine, or everything on it. */
export function findHardlinePower({ name, args }: SimpleCommand): string | undefined {
  const first = args[0]?.text ?? ''
  switch (name) {
    case 'shutdown':
      return first === '-c' || isHelp(first) ? undefined : 'shutdown'
    case 'reboot':
    case 'halt':
    case 'poweroff':
      return isHelp(first) ? undefined : name
    case 'init':
    case 'telinit':
      return first === '0' || first === '6' ? `${name} ${first}` : undefined
    case 'systemctl':
    case 'loginctl':
      return operandsOf(args).some(({ text }) => POWER_VERBS.test(text)) ? `${name} power` : undefined
    case 'kill':
      return killsEverything(args.map(({ text }) => text)) ? 'kill of every process' : undefined
    case 'killall5':
      return 'kill of every process'
    default:
      return undefined
  }
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
