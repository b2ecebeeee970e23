import type { Json } from '../wire.ts'
import { describeSchema } from './describe-schema.ts'
import type { DocumentedOperation, OpenApiDocument } from './to-open-api.ts'

/** The page has no scripts and loads no other files. */
export const DOCS_STYLE = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 20%, transparent); }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; font: 16px/1.5 system-ui, sans-serif; }
h1, h2 { line-height: 1.2; }
nav a { margin-right: 1rem; }
details { border: 1px solid var(--line); border-radius: 6px; margin: .4rem 0; padding: .3rem .8rem; }
summary { cursor: pointer; }
summary code { font-weight: 600; }
.method { display: inline-block; min-width: 4.5em; }
pre { overflow-x: auto; padding: .6rem; border: 1px solid var(--line); border-radius: 6px; }
code, pre { font: 14px/1.45 ui-monospace, monospace; }
table { border-collapse: collapse; }
td, th { padding: .2rem .8rem .2rem 0; text-align: left; vertical-align: top; }
`

export function docsPage({ info, paths, components }: OpenApiDocument): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const tags = [...new Set(operations.map(({ operation }) => operation.tags[0] ?? ''))]
  const sections = tags.map((tag) => {
    const rows = operations.filter(({ operation }) => operation.tags[0] === tag).map(showOperation)
    return `<h2 id="${anchor(tag)}">${escape(tag)}</h2>\n${rows.join('\n')}`
  })
  const types = Object.entries(components.schemas).map(
    ([name, schema]) => `<h3 id="type-${anchor(name)}">${escape(name)}</h3>\n<pre>${showSchema(schema)}</pre>`,
  )
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escape(info.title)} API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/style.css">
<h1>${escape(info.title)} API <small>${escape(info.version)}</small></h1>
<p>${inline(info.description)}</p>
<p>Send <code>Authorization: Bearer sk-blade-v2-…</code> with every request that is not marked as open. For programs: <a href="/openapi.json">/openapi.json</a>.</p>
<nav>${[...tags, 'Types'].map((tag) => `<a href="#${anchor(tag)}">${escape(tag)}</a>`).join(' ')}</nav>
${sections.join('\n')}
<h2 id="types">Types</h2>
${types.join('\n')}
</html>
`
}

interface Shown {
  readonly path: string
  readonly method: string
  readonly operation: DocumentedOperation
}

function showOperation({ path, method, operation }: Shown): string {
  const { operationId, summary, security, parameters, requestBody, responses } = operation
  const isOpen = security !== undefined
  return `<details id="${anchor(operationId)}">
<summary><code><span class="method">${method}</span> ${escape(path)}</code> ${escape(summary)}${isOpen ? ' (open)' : ''}</summary>
${showParameters(parameters)}${requestBody === undefined ? '' : showBody('Body', requestBody.content)}
<table><tr><th>Status</th><th></th></tr>
${Object.entries(responses)
  .map(([status, { description }]) => `<tr><td>${status}</td><td>${escape(description)}</td></tr>`)
  .join('\n')}
</table>
${Object.entries(responses)
  .filter(([status]) => status.startsWith('2'))
  .map(([, { content }]) => (content !== undefined && 'application/json' in content ? showBody('Answer', content) : ''))
  .join('\n')}
</details>`
}

function showParameters(parameters: DocumentedOperation['parameters']): string {
  if (parameters.length === 0) return ''
  const rows = parameters.map(
    ({ name, in: place, schema }) =>
      `<tr><td><code>${escape(name)}</code></td><td>${place}</td><td><code>${showSchema(schema)}${usualOf(schema)}</code></td></tr>`,
  )
  return `<table><tr><th>Parameter</th><th>in</th><th>type</th></tr>\n${rows.join('\n')}\n</table>\n`
}

type Content = NonNullable<DocumentedOperation['requestBody']>['content']

function showBody(title: string, content: Content): string {
  return `<p>${title}</p>\n<pre>${showSchema(content['application/json'].schema)}</pre>`
}

/** Links named types to their description. Only names begin with a capital letter. */
function showSchema(schema: Json): string {
  const text = escape(describeSchema(schema)).split('\n')
  return text.map((line) => line.replace(TYPE_NAME, (name) => `<a href="#type-${anchor(name)}">${name}</a>`)).join('\n')
}

// Not in comments or strings.
const TYPE_NAME = /(?<!\/\/.*)(?<![\w&;])[A-Z][A-Za-z]+(?=\[\]|$| )/g

function usualOf(schema: Json): string {
  const usual = schema !== null && typeof schema === 'object' && 'default' in schema ? schema['default'] : undefined
  return usual === undefined ? '' : escape(` = ${JSON.stringify(usual)}`)
}

const SIGNS: { readonly [sign: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escape = (text: string): string => text.replace(/[&<>"]/g, (sign) => SIGNS[sign] ?? sign)
const inline = (text: string): string => escape(text).replace(/`([^`]*)`/g, '<code>$1</code>')
const anchor = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]+/g, '-')
