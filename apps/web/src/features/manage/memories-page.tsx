import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { spellBidi } from '../../ui/spell-bidi.ts'
import { Problem } from './problem.tsx'
import { useAnswer } from './use-answer.ts'

/** What agents remember about the user. */
export function MemoriesPage() {
  const { t } = useTranslation()
  const [keyword, setKeyword] = useState('')
  const [text, setText] = useState('')
  const [edited, setEdited] = useState<{ readonly id: number; readonly content: string }>()
  const query = { limit: 100, ...(keyword.trim() !== '' && { keyword: keyword.trim() }) }
  const { value, problem, run } = useAnswer(`memories:${keyword}`, (api) => api.listMemories({ query }))
  const save = (): Promise<void> =>
    run(async (api) => {
      if (edited === undefined || edited.content.trim() === '') return
      await api.changeMemory({ id: `${edited.id}`, body: { content: edited.content.trim() } })
      setEdited(undefined)
    })
  return (
    <>
      <form
        className="manage-add"
        onSubmit={(event) => {
          event.preventDefault()
          void run(async (api) => {
            await api.addMemory({ body: { content: text.trim() } })
            setText('')
          })
        }}
      >
        <input
          className="field manage-wide"
          aria-label={t('newMemory')}
          placeholder={t('newMemory')}
          maxLength={500}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <button type="submit" className="button ink" disabled={text.trim() === ''}>
          {t('remember')}
        </button>
      </form>
      {keyword === '' && value?.memories.length === 0 ? null : (
        <input
          type="search"
          className="field"
          aria-label={t('search')}
          placeholder={t('search')}
          value={keyword}
          onChange={(event) => setKeyword(event.target.value)}
        />
      )}
      <Problem text={problem} />
      {value?.memories.length === 0 ? (
        <p className="empty">{t(keyword === '' ? 'noMemories' : 'noMemoriesFound')}</p>
      ) : null}
      <table className="manage-table">
        <tbody>
          {value?.memories.map(({ id, content, disabled, hitCount }) => (
            <tr key={id}>
              <td className={disabled ? 'quiet' : ''}>
                {edited?.id === id ? (
                  <input
                    className="field"
                    aria-label={t('editMemory')}
                    maxLength={500}
                    value={edited.content}
                    onChange={(event) => setEdited({ id, content: event.target.value })}
                    onKeyDown={(event) => {
                      if (event.key === 'Escape') setEdited(undefined)
                      if (event.key === 'Enter' && !event.nativeEvent.isComposing) void save()
                    }}
                  />
                ) : (
                  spellBidi(content)
                )}
              </td>
              <td className="quiet">{t('recalled', { count: hitCount })}</td>
              <td>
                <button
                  type="button"
                  className="button"
                  onClick={() => (edited?.id === id ? void save() : setEdited({ id, content }))}
                >
                  {edited?.id === id ? t('save') : t('edit')}
                </button>{' '}
                <button
                  type="button"
                  className="button"
                  onClick={() => void run((api) => api.changeMemory({ id: `${id}`, body: { disabled: !disabled } }))}
                >
                  {disabled ? t('enable') : t('disable')}
                </button>{' '}
                <button
                  type="button"
                  className="button bad"
                  onClick={() => void run((api) => api.removeMemory({ id: `${id}` }))}
                >
                  {t('remove')}
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}
