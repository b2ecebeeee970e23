import { useTranslation } from 'react-i18next'
import { serverSentence } from '../../i18n/server-sentence.ts'
import { LINK_KEY } from '../../model/console-model.ts'
import type { Outgoing } from '../../model/outbox.ts'
import { useModel, useSnapshot } from '../../ui/model-context.tsx'
import { Attachments } from './attachments.tsx'
import { Said } from './said.tsx'
import { Speaker } from './speaker.tsx'

/** A message on its way. It stays until the server shows it in the session. */
export function OutgoingRow({ item }: { readonly item: Outgoing }) {
  const { t } = useTranslation()
  const model = useModel()
  const link = useSnapshot(LINK_KEY, () => model.link)
  const files = (item.files ?? []).map(({ type, name }) => ({ type, name, path: null, url: null }))
  return (
    <article className="row user-row outgoing" data-outgoing={item.state}>
      <Speaker name={t('you')} />
      <div className="row-body">
        {item.text === '' ? null : <Said text={item.text} />}
        <Attachments attachments={files} />
        {item.state === 'refused' ? (
          <p className="outgoing-state bad" role="alert">
            {t('notSent')}: {serverSentence(item.problem ?? '')}
            <button type="button" className="button" onClick={() => model.sendAgain(item.id)}>
              {t('retry')}
            </button>
            <button type="button" className="button bare" onClick={() => model.forget(item)}>
              {t('remove')}
            </button>
          </p>
        ) : (
          <p className="outgoing-state">{link === 'up' ? t('sending') : t('waitsForServer')}</p>
        )}
      </div>
    </article>
  )
}
