export interface ConnectLine {
  readonly door?: 'aap' | 'acp' | 'blade'
  /** A name, the same in all languages. Absent: the key. */
  readonly title?: string
  readonly text: string
}

/** What to paste into a shell, an editor or a program to reach this server. */
export function connectLines(url: string, agent: string): readonly ConnectLine[] {
  const session = `-H "Authorization: Bearer $KEY" -H "Content-Type: application/json"`
  return [
    { text: "export KEY='the-key'" },
    {
      door: 'aap',
      title: 'curl',
      text: [
        // A refusal is an error that curl prints: what follows would fail without a word.
        `SESSION=$(curl -fsS ${url}/aap/v3/sessions ${session} -d '{"agent":{"name":"${agent}"}}' | sed -E 's/.*"sessionId":"([^"]+)".*/\\1/')`,
        `curl -fsSN ${url}/aap/v3/sessions/$SESSION/turns ${session} -d '{"stream":"delta","messages":[{"role":"user","content":"Hello!"}]}'`,
      ].join('\n'),
    },
    {
      door: 'acp',
      title: 'Zed, settings.json',
      text: '{\n  "agent_servers": {\n    "Polylogue": { "type": "custom", "command": "polylogue", "args": ["acp"] }\n  }\n}',
    },
    {
      door: 'blade',
      title: 'JavaScript',
      text: [
        "import { io } from 'socket.io-client'",
        'const token = process.env.KEY',
        "const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }",
        `const made = await fetch('${url}/api/sessions', { method: 'POST', headers, body: '{}' })`,
        `const socket = io('${url}', { auth: { token } }).onAny(console.log)`,
        "socket.emit('chat:send', { ...(await made.json()), message: 'Hello!' })",
      ].join('\n'),
    },
  ]
}
