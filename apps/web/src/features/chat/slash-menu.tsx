import { useTranslation } from 'react-i18next'
import './slash-menu.css'

export interface SlashCommand {
  /** Without the slash. */
  readonly name: string
  readonly hint: string
  /** What can follow the name. Absent: nothing. */
  readonly rest?: string
  readonly run: (rest: string) => void
}

export const SLASH_LIST = 'slash-commands'

/** The commands that begin with what was typed. Nothing once something follows the name. */
export function findCommands(text: string, commands: readonly SlashCommand[]): readonly SlashCommand[] {
  const typed = /^\/([\w:.-]*)$/.exec(text)?.[1]
  return typed === undefined ? [] : commands.filter(({ name }) => name.startsWith(typed.toLowerCase()))
}

/** The command that the whole text is, with what follows its name. */
export function findTyped(text: string, commands: readonly SlashCommand[]) {
  const [, name, rest = ''] = /^\/([\w:.-]+)(?:\s+(.*))?$/s.exec(text.trim()) ?? []
  const command = commands.find((one) => one.name === name && (rest === '' || one.rest !== undefined))
  return command && { command, rest }
}

interface SlashMenuProps {
  readonly commands: readonly SlashCommand[]
  readonly chosen: number
  readonly onRun: (command: SlashCommand) => void
}

export function SlashMenu({ commands, chosen, onRun }: SlashMenuProps) {
  const { t } = useTranslation()
  return (
    <ul id={SLASH_LIST} className="slash" role="listbox" aria-label={t('commands')}>
      {commands.map((command, index) => (
        <li
          key={command.name}
          id={`${SLASH_LIST}-${index}`}
          role="option"
          aria-selected={index === chosen}
          // The field keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onRun(command)}
        >
          <code>
            /{command.name}
            {command.rest === undefined ? null : <i> {command.rest}</i>}
          </code>
          <span className="quiet">{command.hint}</span>
        </li>
      ))}
    </ul>
  )
}
