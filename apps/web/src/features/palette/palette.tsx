import { Command } from 'cmdk'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'wouter'
import { LIST_KEY } from '../../model/session-list.ts'
import { useModel, useSnapshot } from '../../ui/model-context.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { usePaletteActions } from './palette-actions.tsx'
import './palette.css'

const MOST_SESSIONS = 50

/** Everything that can be done from here, by name. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation()
  const { list } = useModel()
  const sessions = useSnapshot(LIST_KEY, () => list.sessions)
  const [, navigate] = useLocation()
  const [text, setText] = useState('')
  const groups = usePaletteActions()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    return () => shown?.close()
  }, [])
  const run = (action: () => void): void => {
    onClose()
    action()
  }
  return (
    <dialog
      ref={dialog}
      className="palette"
      aria-label={t('palette')}
      onClose={onClose}
      onMouseDown={(event) => {
        if (event.target === dialog.current) onClose()
      }}
    >
      <Command label={t('palette')} loop>
        <Command.Input value={text} onValueChange={setText} placeholder={t('palettePlaceholder')} autoFocus />
        <Command.List>
          <Command.Empty>{t('searchNone')}</Command.Empty>
          {groups.map(({ heading, actions }) => (
            <Command.Group key={heading} heading={heading}>
              {actions.map(({ id, label, icon, keys, run: act }) => (
                <Command.Item key={id} value={`${label} ${id}`} onSelect={() => run(act)}>
                  {icon}
                  <span className="truncate">{label}</span>
                  {keys === undefined ? null : <kbd>{keys}</kbd>}
                </Command.Item>
              ))}
            </Command.Group>
          ))}
          <Command.Group heading={t('sessions')}>
            {sessions.slice(0, MOST_SESSIONS).map(({ id, intent, status }) => (
              <Command.Item key={id} value={`${intent} ${id}`} onSelect={() => run(() => navigate(`/s/${id}`))}>
                <StatusDot status={status} />
                <span className="truncate">{intent === '' ? t('untitled') : intent.split('\n', 1)[0]}</span>
              </Command.Item>
            ))}
          </Command.Group>
          {text.trim() === '' ? null : (
            <Command.Group forceMount>
              <Command.Item
                forceMount
                value={`search ${text}`}
                onSelect={() => run(() => navigate(`/sessions?q=${encodeURIComponent(text.trim())}`))}
              >
                <span className="truncate">{t('paletteSearch', { text: text.trim() })}</span>
              </Command.Item>
            </Command.Group>
          )}
        </Command.List>
      </Command>
    </dialog>
  )
}
