import { ArrowUp, Paperclip, Square, X } from 'lucide-react'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { draftKey, type NewMessage } from '../../model/console-model.ts'
import { keepDraft, readDraft } from '../../model/drafts.ts'
import type { SentFile } from '../../model/outbox.ts'
import { useModel } from '../../ui/model-context.tsx'
import { readFiles } from './read-files.ts'
import './composer.css'

interface ComposerProps {
  /** `new` for a session that does not exist yet. */
  readonly sessionId: string
  readonly isRunning: boolean
  readonly onSend: (message: NewMessage) => void
  readonly onStop?: () => void
  /** Choices for the message or the session. */
  readonly children?: ReactNode
  readonly focusAtStart?: boolean
}

export function Composer({ sessionId, isRunning, onSend, onStop, children, focusAtStart = false }: ComposerProps) {
  const { t } = useTranslation()
  const model = useModel()
  const field = useRef<HTMLTextAreaElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(() => readDraft(sessionId))
  const [files, setFiles] = useState<readonly SentFile[]>([])
  const [isDropping, setDropping] = useState(false)

  useEffect(() => {
    setText(readDraft(sessionId))
    setFiles([])
    if (focusAtStart) field.current?.focus()
  }, [sessionId, focusAtStart])

  useEffect(
    () =>
      model.notifier.subscribe(draftKey(sessionId), () => {
        const returned = model.takeReturned(sessionId)
        if (returned !== undefined) setText(returned)
      }),
    [model, sessionId],
  )

  const change = (next: string): void => {
    setText(next)
    keepDraft(sessionId, next)
  }
  const add = async (given: FileList | null): Promise<void> => {
    if (given === null || given.length === 0) return
    const added = await readFiles(given)
    setFiles((before) => [...before, ...added])
  }
  const isEmpty = text.trim() === '' && files.length === 0
  const send = (): void => {
    if (isEmpty) return
    onSend({ text: text.trim(), files })
    change('')
    setFiles([])
  }

  return (
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
        void add(event.dataTransfer.files)
      }}
    >
      {files.length === 0 ? null : (
        <ul className="attachments composer-files">
          {files.map(({ name, content }, index) => (
            <li key={`${name}${content.length}`} className="attachment">
              {name}
              <button
                type="button"
                aria-label={`${t('remove')}: ${name}`}
                onClick={() => setFiles(files.filter((_, other) => other !== index))}
              >
                <X size={14} aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      )}
      <textarea
        ref={field}
        rows={1}
        value={text}
        placeholder={t('composerPlaceholder')}
        aria-label={t('composerLabel')}
        onChange={(event) => change(event.target.value)}
        onPaste={(event) => void add(event.clipboardData.files)}
        onKeyDown={(event) => {
          // 229: an input method took the key.
          const isComposing = event.nativeEvent.isComposing || event.keyCode === 229
          if (event.key !== 'Enter' || event.shiftKey || isComposing) return
          event.preventDefault()
          send()
        }}
      />
      <div className="composer-bar">
        {children}
        <span className="composer-space" />
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          tabIndex={-1}
          onChange={(event) => {
            void add(event.target.files)
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
          <button type="submit" className="button ink icon" aria-label={t('send')} title={t('send')} disabled={isEmpty}>
            <ArrowUp size={17} aria-hidden />
          </button>
        )}
      </div>
    </form>
  )
}
