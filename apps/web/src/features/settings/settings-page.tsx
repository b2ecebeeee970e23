import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { LANGUAGES, chooseLanguage, type Language } from '../../i18n/init-words.ts'
import { SERVER_KEY } from '../../model/console-model.ts'
import { request } from '../../model/http.ts'
import { useModel, useSnapshot } from '../../ui/model-context.tsx'
import { keepSetting, readSetting, type SettingName, type SettingValue } from '../../ui/settings.ts'
import './settings.css'

/** Settings of this browser, and its sign-in. */
export function SettingsPage() {
  const { t, i18n } = useTranslation()
  const model = useModel()
  const server = useSnapshot(SERVER_KEY, () => model.server)
  const signOut = async (): Promise<void> => {
    await request('POST', '/signout', {})
    location.replace('/')
  }
  return (
    <main className="page">
      <div className="page-inner">
        <h1>{t('settings')}</h1>
        <dl className="settings">
          <div>
            <dt>{t('language')}</dt>
            <dd>
              <select
                className="field"
                aria-label={t('language')}
                value={i18n.language}
                onChange={(event) => void chooseLanguage(event.target.value as Language)}
              >
                {Object.entries(LANGUAGES).map(([code, name]) => (
                  <option key={code} value={code}>
                    {name}
                  </option>
                ))}
              </select>
            </dd>
          </div>
          <Choice
            name="theme"
            label={t('theme')}
            values={{ system: t('themeSystem'), light: t('themeLight'), dark: t('themeDark') }}
          />
          <Choice
            name="density"
            label={t('density')}
            values={{ roomy: t('densityRoomy'), compact: t('densityCompact') }}
          />
          <Choice name="keys" label={t('keyboard')} hint={t('keyboardHint')} values={{ on: t('on'), off: t('off') }} />
        </dl>
        <KeyTable />
        {server === undefined ? null : (
          <p className="quiet settings-server">
            {t('signedInAs', { user: server.user })} · {server.status.version} · {server.status.doors.join(', ')}
          </p>
        )}
        <button type="button" className="button" onClick={() => void signOut()}>
          {t('signOut')}
        </button>
      </div>
    </main>
  )
}

/** What can be done without a pointer. */
function KeyTable() {
  const { t } = useTranslation()
  const keys = [
    ['Ctrl K', t('palette')],
    ['n', t('newSession')],
    ['/', t('search')],
    ['c', t('composerLabel')],
    ['j k', t('keyRows')],
    ['o', t('keyFold')],
    ['g i', t('inbox')],
    ['g s', t('sessions')],
    ['g d', t('doorsTitle')],
    ['g u', t('usage')],
    ['[ ]', t('keyPast')],
    ['?', t('keyHelp')],
  ]
  return (
    <>
      <h2>{t('keyTable')}</h2>
      <dl className="key-table">
        {keys.map(([key = '', does]) => (
          <div key={key}>
            <dt>
              {key.split(' ').map((one) => (
                <kbd key={one}>{one}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}

interface ChoiceProps<Name extends SettingName> {
  readonly name: Name
  readonly label: string
  readonly hint?: string
  readonly values: { readonly [Value in SettingValue<Name>]: string }
}

function Choice<Name extends SettingName>({ name, label, hint, values }: ChoiceProps<Name>) {
  const [value, setValue] = useState(() => readSetting(name))
  return (
    <div>
      <dt>
        {label}
        {hint === undefined ? null : <small className="quiet">{hint}</small>}
      </dt>
      <dd>
        <select
          className="field"
          aria-label={label}
          value={value}
          onChange={(event) => {
            const chosen = event.target.value as SettingValue<Name>
            keepSetting(name, chosen)
            setValue(chosen)
          }}
        >
          {Object.entries<string>(values).map(([key, text]) => (
            <option key={key} value={key}>
              {text}
            </option>
          ))}
        </select>
      </dd>
    </div>
  )
}
