import { element } from './element.js'

/** @typedef {import('./api.js').SessionSummary} SessionSummary */

const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'short' })

/**
 * @param {HTMLElement} list
 * @param {readonly SessionSummary[]} sessions
 * @param {string | undefined} openId
 */
export function showSessions(list, sessions, openId) {
  list.replaceChildren(
    ...sessions.map(({ sessionId, title, agent, status, updatedAt }) => {
      const link = element(
        'a',
        { href: `#session=${sessionId}` },
        element('span', { className: 'title' }, title ?? 'Untitled'),
        element('span', { className: 'quiet' }, `${agent} · ${TIME.format(updatedAt)}`),
      )
      if (sessionId === openId) link.setAttribute('aria-current', 'true')
      const item = element('li', {}, link)
      item.dataset['status'] = status
      return item
    }),
  )
}
