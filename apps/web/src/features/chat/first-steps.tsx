import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { CopyButton } from '../../ui/copy-button.tsx'
import './first-steps.css'

const MODEL_LINES = ['export ANTHROPIC_API_KEY=…', 'export OPENAI_API_KEY=…', 'export GEMINI_API_KEY=…']

interface FirstStepsProps {
  /** What can be said to the demo, one click each. */
  readonly starters: readonly string[]
  readonly onSay: (text: string) => void
}

/** While no model is configured: what to do first, second and third. */
export function FirstSteps({ starters, onSay }: FirstStepsProps) {
  const { t } = useTranslation()
  return (
    <ol className="first-steps">
      <li>
        <h2>{t('stepHello')}</h2>
        <p className="quiet">{t('stepHelloHint')}</p>
        <ul className="starters">
          {starters.map((text) => (
            <li key={text}>
              <button type="button" className="button" onClick={() => onSay(text)}>
                {text}
              </button>
            </li>
          ))}
        </ul>
      </li>
      <li>
        <h2>{t('stepModel')}</h2>
        <p className="quiet">{t('stepModelHint')}</p>
        <ul className="step-lines">
          {MODEL_LINES.map((line) => (
            <li key={line}>
              <code>{line}</code> <CopyButton text={line} />
            </li>
          ))}
        </ul>
      </li>
      <li>
        <h2>
          <Link href="/connect">{t('stepConnect')}</Link>
        </h2>
        <p className="quiet">{t('stepConnectHint')}</p>
      </li>
    </ol>
  )
}
