import { DropdownMenu } from 'radix-ui'
import type { ReactNode } from 'react'
import './menu.css'

export interface MenuEntry {
  /** The label, unless several entries have the same. */
  readonly key?: string
  readonly label: string
  readonly hint?: string
  readonly isBad?: boolean
  readonly isChosen?: boolean
  readonly onSelect: () => void
}

export interface MenuProps {
  readonly trigger: ReactNode
  readonly entries: readonly MenuEntry[]
  readonly align?: 'start' | 'end'
  readonly side?: 'top' | 'bottom'
  readonly isOpenAtStart?: boolean
}

export function Menu({ trigger, entries, align = 'end', side = 'bottom', isOpenAtStart = false }: MenuProps) {
  return (
    <DropdownMenu.Root modal={false} defaultOpen={isOpenAtStart}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" align={align} side={side} sideOffset={4} collisionPadding={8}>
          {entries.map(({ label, key = label, hint, isBad, isChosen, onSelect }) => (
            <DropdownMenu.Item
              key={key}
              className={`menu-item${isBad === true ? ' bad' : ''}`}
              data-chosen={isChosen}
              onSelect={onSelect}
            >
              <span>{label}</span>
              {hint === undefined ? null : <small>{hint}</small>}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
