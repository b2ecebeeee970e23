import { ArrowUp, Paperclip, Square } from 'lucide-react'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { draftKey, type NewMessage } from '../../model/console-model.ts'
import { keepDraft, readDraft } from '../../model/drafts.ts'
import { useModel } from '../../ui/model-context.tsx'
import { ComposerFiles } from './composer-files.tsx'
import { SLASH_LIST, SlashMenu, findCommands, findTyped, type SlashCommand } from './slash-menu.tsx'
import { useFiles } from './use-files.ts'
import './composer.css'

interface ComposerProps {
  /** `new` for a session that does not exist yet. */
  readonly sessionId: string
  readonly isRunning: boolean
  /** Whether something is on its way that has to come before the next message. */
  readonly isBusy?: boolean
  readonly onSend: (message: NewMessage) => void
  readonly onStop?: () => void
  /** Choices for the message or the session. */
  readonly children?: ReactNode
  readonly focusAtStart?: boolean
  /** What a slash at the start of the text offers. */
  readonly commands?: readonly SlashCommand[]
}

export function Composer(props: ComposerProps) {
  const {
    sessionId,
    isRunning,
    onSend,
    onStop,
    children,
    focusAtStart = false,
    commands = NO_COMMANDS,
    isBusy = false,
  } = props
  const { t } = useTranslation()
  const model = useModel()
  const field = useRef<HTMLTextAreaElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(() => readDraft(sessionId))
  const files = useFiles()
  const [isDropping, setDropping] = useState(false)

  useEffect(() => {
    setText(readDraft(sessionId))
    files.clear()
    // On a phone the keyboard would cover what the reader came for.
    if (focusAtStart && matchMedia('(min-width: 768px)').matches) field.current?.focus()
  }, [sessionId, focusAtStart])

  useEffect(
    () =>
      model.notifier.subscribe(draftKey(sessionId), () => {
        setText(readDraft(sessionId))
        files.give(model.takeReturned(sessionId))
      }),
    [model, sessionId],
  )

  const change = (next: string): void => {
    setText(next)
    setChosen(0)
    setHidden(false)
    keepDraft(sessionId, next)
  }
  const [chosen, setChosen] = useState(0)
  const [isHidden, setHidden] = useState(false)
  const offered = isHidden ? NO_COMMANDS : findCommands(text, commands)
  const selected = Math.min(chosen, offered.length - 1)
  const runCommand = (command: SlashCommand): void => {
    // What can follow is typed first; Enter runs it as it is.
    if (command.rest !== undefined) return change(`/${command.name} `)
    change('')
    command.run('')
  }
  /** Whether the list of commands took the key. */
  const steer = (key: string): boolean => {
    const command = offered[selected]
    if (command === undefined) return false
    if (key === 'ArrowDown') setChosen((selected + 1) % offered.length)
    else if (key === 'ArrowUp') setChosen((selected + offered.length - 1) % offered.length)
    else if (key === 'Enter') runCommand(command)
    else if (key === 'Tab') change(`/${command.name}`)
    else if (key === 'Escape') setHidden(true)
    else return false
    return true
  }
  const isEmpty = text.trim() === '' && files.ready.length === 0
  const send = (): void => {
    if (isEmpty || isBusy || files.isReading) return
    const typed = files.ready.length === 0 ? findTyped(text, commands) : undefined
    if (typed !== undefined) {
      change('')
      typed.command.run(typed.rest)
      return
    }
    onSend({ text: text.trim(), files: files.ready })
    change('')
    files.clear()
  }

  return (
    <>
      {offered.length === 0 ? null : <SlashMenu commands={offered} chosen={selected} onRun={runCommand} />}
      <form
        className={`composer${isDropping ? ' is-dropping' : ''}`}
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
        onDragOver={(event) => {
          event.preventDefault()
          setDropping(true)
        }}
        onDragLeave={() => setDropping(false)}
        onDrop={(event) => {
          event.preventDefault()
          setDropping(false)
          files.add(event.dataTransfer.files)
        }}
      >
        <ComposerFiles files={files} />
        <textarea
          ref={field}
          rows={1}
          value={text}
          placeholder={t('composerPlaceholder')}
          aria-label={t('composerLabel')}
          aria-controls={offered.length === 0 ? undefined : SLASH_LIST}
          aria-activedescendant={offered.length === 0 ? undefined : `${SLASH_LIST}-${selected}`}
          onChange={(event) => change(event.target.value)}
          onPaste={(event) => files.add(event.clipboardData.files)}
          onKeyDown={(event) => {
            // 229: an input method took the key.
            const isComposing = event.nativeEvent.isComposing || event.keyCode === 229
            if (isComposing) return
            if (steer(event.key)) {
              event.preventDefault()
              return
            }
            if (event.key !== 'Enter' || event.shiftKey) return
            event.preventDefault()
            send()
          }}
        />
        <div className="composer-bar">
          <div className="composer-picks">{children}</div>
          <input
            ref={picker}
            type="file"
            multiple
            hidden
            tabIndex={-1}
            onChange={(event) => {
              files.add(event.target.files)
              event.target.value = ''
            }}
          />
          <button
            type="button"
            className="button bare icon"
            aria-label={t('attach')}
            title={t('attach')}
            onClick={() => picker.current?.click()}
          >
            <Paperclip size={16} aria-hidden />
          </button>
          {isRunning && onStop !== undefined ? (
            <button type="button" className="button composer-stop" onClick={onStop}>
              <Square size={11} fill="currentColor" aria-hidden /> {t('stop')} <kbd>esc</kbd>
            </button>
          ) : null}
          {isRunning && isEmpty ? null : (
            <button
              type="submit"
              className="button ink icon"
              aria-label={t('send')}
              title={t('send')}
              disabled={isEmpty || isBusy || files.isReading}
            >
              <ArrowUp size={17} aria-hidden />
            </button>
          )}
        </div>
      </form>
    </>
  )
}

const NO_COMMANDS: readonly SlashCommand[] = []
