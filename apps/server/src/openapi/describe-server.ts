import type { DescribedOperation } from '@polylogue/blade'
import { z } from 'zod'

const failure = { body: z.object({ error: z.string() }).meta({ id: 'ServerFailure' }), wrongRequest: 400 } as const
const none = { query: undefined, body: undefined, isFile: false, status: 200, failure } as const
const health = z.object({ status: z.string() })

/** What is no operation of a protocol: health, metrics, sign-in, and two answers of the console that are no JSON. */
export const serverOperations: readonly DescribedOperation[] = [
  {
    ...none,
    method: 'GET',
    name: 'readHealth',
    path: '/healthz',
    tag: 'health',
    summary: 'Answers while the process works.',
    answer: health,
    isOpen: true,
  },
  {
    ...none,
    method: 'GET',
    name: 'readReadiness',
    path: '/readyz',
    tag: 'health',
    summary: 'Answers 200 while the server accepts work, else 503.',
    answer: health,
    isOpen: true,
  },
  {
    ...none,
    method: 'GET',
    name: 'readMetrics',
    path: '/metrics',
    tag: 'health',
    summary: 'Metrics in the format of Prometheus.',
    answer: undefined,
    isFile: true,
    isOpen: false,
  },
  {
    ...none,
    method: 'GET',
    name: 'readSignInMethods',
    path: '/signin/methods',
    tag: 'sign-in',
    summary: 'Read how browsers can sign in.',
    answer: z.object({
      code: z.literal(true),
      key: z.literal(true),
      oidc: z.object({ title: z.string() }).optional(),
    }),
    isOpen: true,
  },
  {
    ...none,
    method: 'POST',
    name: 'signIn',
    path: '/signin',
    tag: 'sign-in',
    summary: 'Turn a one-time code or an API key into a session cookie. For the page of the console only.',
    body: z.object({ code: z.string().optional(), key: z.string().optional() }),
    answer: z.object({ user: z.string() }),
    isOpen: true,
  },
  {
    ...none,
    method: 'POST',
    name: 'signOut',
    path: '/signout',
    tag: 'sign-in',
    summary: 'End the session of this browser.',
    status: 204,
    answer: undefined,
    isOpen: false,
  },
  {
    ...none,
    method: 'GET',
    name: 'console_followProgress',
    path: '/api/polylogue/sessions/{id}/progress',
    tag: 'console: sessions',
    summary: 'Follow the output of running tools.',
    answer: undefined,
    events: z.object({ call: z.string(), text: z.string() }),
    isOpen: false,
  },
  {
    ...none,
    method: 'GET',
    name: 'console_readCard',
    path: '/api/polylogue/sessions/{id}/cards/{call}',
    tag: 'console: sessions',
    summary: 'Read the HTML that a tool gave for people, for a sandboxed frame.',
    answer: undefined,
    isFile: true,
    isOpen: false,
  },
]
