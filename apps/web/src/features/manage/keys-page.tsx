import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { formatAge } from '../../ui/format.ts'
import { Problem } from './problem.tsx'
import { useAnswer } from './use-answer.ts'

/** API keys and browsers that are signed in. A new key is shown once. */
export function KeysPage() {
  const { t, i18n } = useTranslation()
  const { value, problem, run } = useAnswer('keys', async (api) => {
    const [{ keys }, { keyId }] = await Promise.all([api.listKeys(), api.readMe()])
    return { keys, own: keyId }
  })
  const [isLeaving, setLeaving] = useState(false)
  const revoke = (id: string): void => void run((api) => api.revokeKey({ id }))
  const [name, setName] = useState('')
  const [made, setMade] = useState<string>()
  const create = (): Promise<void> =>
    run(async (api) => {
      const { key } = await api.createKey({ body: { name: name.trim() } })
      setMade(key)
      setName('')
    })
  const age = (at: number | undefined): string =>
    at === undefined ? '–' : formatAge(new Date(at).toISOString(), i18n.language)
  return (
    <>
      <form
        className="manage-add"
        onSubmit={(event) => {
          event.preventDefault()
          void create()
        }}
      >
        <input
          className="field"
          aria-label={t('keyName')}
          placeholder={t('keyName')}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <button type="submit" className="button ink" disabled={name.trim() === ''}>
          {t('makeKey')}
        </button>
      </form>
      {made === undefined ? null : (
        <p className="made-key" role="status">
          {t('keyOnce')} <code>{made}</code> <CopyButton text={made} />
        </p>
      )}
      <Problem text={problem} />
      <table className="manage-table">
        <thead>
          <tr>
            <th>{t('name')}</th>
            <th>{t('keyKind')}</th>
            <th>{t('used')}</th>
            <th aria-label={t('remove')} />
          </tr>
        </thead>
        <tbody>
          {value?.keys.map((key) => (
            <tr key={key.id} data-key={key.id}>
              <td>
                {key.name} <code className="quiet">…{key.lastFour}</code>{' '}
                {key.id === value.own ? <span className="tag plain">{t('thisBrowser')}</span> : null}
              </td>
              <td>{key.kind === 'api' ? 'API' : t('browser')}</td>
              <td>{age(key.lastUsedAt)}</td>
              <td>
                <button
                  type="button"
                  className="button bad"
                  onClick={() => (key.id === value.own ? setLeaving(true) : revoke(key.id))}
                >
                  {t('revoke')}
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {isLeaving ? (
        <Dialog title={t('revokeOwnTitle')} onClose={() => setLeaving(false)}>
          <p>{t('revokeOwnBody')}</p>
          <div className="actions">
            <button type="button" className="button" onClick={() => setLeaving(false)}>
              {t('cancel')}
            </button>
            <button
              type="button"
              className="button bad"
              onClick={() => {
                setLeaving(false)
                if (value?.own !== undefined) revoke(value.own)
              }}
            >
              {t('revoke')}
            </button>
          </div>
        </Dialog>
      ) : null}
    </>
  )
}
