import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { renameSession } from '../../model/blade-rest.ts'
import { Dialog } from '../../ui/dialog.tsx'

interface RenameDialogProps {
  readonly id: string
  readonly title: string
  readonly onClose: () => void
}

export function RenameDialog({ id, title, onClose }: RenameDialogProps) {
  const { t } = useTranslation()
  const [text, setText] = useState(title)
  const [problem, setProblem] = useState<string>()
  const save = async (): Promise<void> => {
    try {
      await renameSession(id, text.trim())
      onClose()
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <Dialog title={t('renameTitle')} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <input
          className="field"
          aria-label={t('title')}
          value={text}
          maxLength={200}
          onChange={(event) => setText(event.target.value)}
        />
        {problem === undefined ? null : <p role="alert">{problem}</p>}
        <div className="actions">
          <button type="button" className="button" onClick={onClose}>
            {t('cancel')}
          </button>
          <button type="submit" className="button ink">
            {t('save')}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

export function ConfirmDelete({
  onConfirm,
  onClose,
}: {
  readonly onConfirm: () => void
  readonly onClose: () => void
}) {
  const { t } = useTranslation()
  return (
    <Dialog title={t('deleteTitle')} onClose={onClose}>
      <p className="quiet">{t('deleteBody')}</p>
      <div className="actions">
        <button type="button" className="button" onClick={onClose}>
          {t('cancel')}
        </button>
        <button type="button" className="button bad" onClick={onConfirm}>
          {t('delete')}
        </button>
      </div>
    </Dialog>
  )
}
