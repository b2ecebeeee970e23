/** The session of a page that is shown inside another one, or nothing. */
export const embeddedSession = (): string | undefined => /^\/embed\/([^/]+)$/.exec(location.pathname)?.[1]
