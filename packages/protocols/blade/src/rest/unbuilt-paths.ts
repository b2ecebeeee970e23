/**
 * Operations of Blade's API that this server does not have. They answer 501 instead of 404. `{x}` is one part of a path,
 * `{x*}` any number of parts. `open`: needs no key.
 */
const UNBUILT = `
GET  /api/config
GET  /api/auth/login
POST /api/auth/refresh
GET  /api/health/runtime
PUT  /api/sessions/{sid}/env
GET  /api/sessions/{sid}/history
GET  /api/sessions/{sid}/context-stats
GET  /api/sessions/{sid}/tasks
GET  /api/sessions/{sid}/checkpoints
POST /api/sessions/{sid}/rewind
POST /api/sessions/{sid}/checkout
POST /api/sessions/{sid}/switch-branch
GET  /api/sessions/{sid}/ls/{dir*}
PUT|DELETE /api/sessions/{sid}/files/{path*}
POST /api/sessions/{sid}/files/{path*}/rename
POST /api/sessions/{sid}/files/{path*}/copy
POST /api/sessions/{sid}/upload/{dir*}
GET  /api/sessions/{sid}/download-dir/{dir*}
POST /api/sessions/{sid}/share-file
POST /api/sessions/{sid}/share
DELETE /api/sessions/{sid}/share/{token}
GET  /api/share/{token} open
GET  /api/sessions/{sid}/export
POST /api/sessions/preview-import
POST /api/sessions/import
POST|PATCH /api/sessions/{sid}/replay
GET  /api/sessions/{sid}/replay/preview
GET  /api/sessions/{sid}/skills
GET  /api/sessions/{sid}/skill-stats
POST /api/sessions/{sid}/skills:upload
POST /api/sessions/{sid}/skills/install
POST /api/sessions/{sid}/skills:resync
GET  /api/skills/{id*}
GET  /api/skill-store/stats
GET  /api/solutions/{id}/files/{path*}
GET  /api/sessions/{sid}/background-tasks
GET  /api/sessions/{sid}/background-tasks/{task}
POST /api/sessions/{sid}/background-tasks/{task}/stop
POST /api/sessions/{sid}/upset_extra_info
GET  /api/sessions/{sid}/extra_info
GET  /api/sessions/extra_info/by_task/{task}
POST /api/sessions/tokenize/prompt
POST /api/sessions/tokenize/messages
GET|PUT /api/user/preferences/{key}
GET  /api/user/env-buckets
GET|PUT|DELETE /api/user/env-buckets/{bucket}
GET  /api/env
GET  /api/env/check
POST /api/env/check/{check}
POST /api/users/me/reset-computer
POST /api/users/me/upgrade-computer
GET  /api/users/me/computer-upgrade
GET|POST|PUT|PATCH|DELETE /api/prod_agents/{path*}
GET|POST|PUT|PATCH|DELETE /api/prod_solution/{path*}
GET|POST|PUT|PATCH|DELETE /api/prod_users/{path*}
GET|POST|PUT|PATCH|DELETE /api/prod_workspaces/{path*}
GET|POST|PUT|PATCH|DELETE /api/admin/{path*}
GET|POST|DELETE /api/published-apps/{path*}
GET  /api/registry/{path*}
GET  /api/gis/{sid}/state
GET|POST|PATCH|DELETE /api/payloads/{id}/annotations/{annotation*}
GET|PUT /api/frontend_config/{path*}
`

interface Unbuilt {
  readonly isOpen: boolean
  readonly methods: readonly string[]
  readonly pattern: RegExp
}

const ALL: readonly Unbuilt[] = UNBUILT.trim()
  .split('\n')
  .map((line) => {
    const [methods = '', path = '', access] = line.split(/ +/)
    return { methods: methods.split('|'), pattern: toPattern(path), isOpen: access === 'open' }
  })

export function findUnbuilt(method: string, path: string): { readonly isOpen: boolean } | undefined {
  return ALL.find(({ methods, pattern }) => methods.includes(method) && pattern.test(path))
}

function toPattern(path: string): RegExp {
  const parts = path.replace(/\/\{\w+\*\}/g, '(?:/.*)?').replace(/\{\w+\}/g, '[^/]+')
  return new RegExp(`^${parts}/?$`)
}
