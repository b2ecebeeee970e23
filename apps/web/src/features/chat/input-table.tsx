import { useTranslation } from 'react-i18next'
import type { JsonObject } from '../../model/http.ts'
import { spellBidi } from '../../ui/spell-bidi.ts'

interface InputTableProps {
  readonly input: JsonObject
  /** Of the lines that are read. */
  readonly range?: { readonly from: number; readonly to?: number } | undefined
}

/** The input of a call by its names, which are the tool's own words. */
export function InputTable({ input, range }: InputTableProps) {
  const { t } = useTranslation()
  const entries = Object.entries(input)
  if (entries.length === 0 && range === undefined) return null
  return (
    <dl className="call-fields" tabIndex={0}>
      {entries.map(([name, value]) => (
        <div key={name} translate="no">
          <dt>{spellBidi(name)}</dt>
          <dd className={typeof value === 'string' ? undefined : 'mono'}>{spellBidi(textOf(value))}</dd>
        </div>
      ))}
      {range === undefined ? null : (
        <div>
          <dt>{t('lines')}</dt>
          <dd className="mono">
            {range.from}–{range.to}
          </dd>
        </div>
      )}
    </dl>
  )
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? '')
