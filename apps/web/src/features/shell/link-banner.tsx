import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { LINK_KEY } from '../../model/console-model.ts'
import { useModel, useSnapshot } from '../../ui/model-context.tsx'

/** A short loss is not worth a word. */
const PATIENCE_MS = 1_500

export function LinkBanner() {
  const { t } = useTranslation()
  const model = useModel()
  const link = useSnapshot(LINK_KEY, () => model.link)
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    if (link !== 'down' && link !== 'connecting') return setLate(false)
    const timer = setTimeout(() => setLate(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [link])
  if (link === 'signed-out') {
    return (
      <p className="banner" role="alert">
        {t('signedOutNow')}
      </p>
    )
  }
  if (!isLate || link === 'up') return null
  return (
    <p className="banner" role="status">
      {t('offline')}
    </p>
  )
}
