import type { WaitingCall } from '@polylogue/client/console'
import { useTranslation } from 'react-i18next'
import type { OpenSession } from '../../model/open-session.ts'
import { useModel } from '../../ui/model-context.tsx'
import { CardHead } from './card-head.tsx'

interface ClientWaitProps {
  readonly session: OpenSession
  readonly call: WaitingCall
  readonly children: React.ReactNode
}

/** Only the client that brought the tool can give its result; here the call can be given up. */
export function ClientWait({ session, call, children }: ClientWaitProps) {
  const { t } = useTranslation()
  const model = useModel()
  const cancel = async (): Promise<void> => {
    const api = await model.api()
    await api.cancelCall({ id: session.id, call: call.toolCallId, body: {} })
  }
  return (
    <div className="card">
      <CardHead call={call}>{children}</CardHead>
      <div className="card-foot">
        <button type="button" className="button" onClick={() => void cancel()}>
          {t('stopCall')}
        </button>
      </div>
    </div>
  )
}
