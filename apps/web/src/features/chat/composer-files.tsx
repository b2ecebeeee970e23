import { X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { ChosenFiles } from './use-files.ts'

/** The files that go with the message, each with how far it was read. */
export function ComposerFiles({ files }: { readonly files: ChosenFiles }) {
  const { t } = useTranslation()
  if (files.chosen.length === 0) return null
  return (
    <ul className="attachments composer-files" aria-label={t('attached')}>
      {files.chosen.map(({ id, name, read, file, problem }) => (
        <li key={id} className="attachment" data-ready={file !== undefined}>
          {file?.type === 'image' ? <img src={file.content} alt="" /> : null}
          <span className="truncate">{name}</span>
          {problem === undefined ? null : <span className="bad">{problem}</span>}
          {file === undefined && problem === undefined ? (
            <progress max={1} value={read} aria-label={t('reading', { name })} />
          ) : null}
          <button type="button" aria-label={`${t('remove')}: ${name}`} onClick={() => files.remove(id)}>
            <X size={14} aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  )
}
