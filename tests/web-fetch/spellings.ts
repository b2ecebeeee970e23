// Ways to write an address of the inner network so that a check of the text does not see it.

export interface Spelling {
  /** With `PORT` where the port of the canary goes. */
  readonly url: string
  /** Whether a client that is not careful reaches a server on loopback by it. */
  readonly leadsToLoopback: boolean
  /** What the name resolves to, when it is a name. */
  readonly addresses?: readonly string[]
}

type Octets = readonly [number, number, number, number]

const LOOPBACK: Octets = [127, 0, 0, 1]

/** Metadata of clouds, private and shared networks, broadcast, multicast, and what is kept for other uses. */
const ELSEWHERE: readonly Octets[] = [
  [169, 254, 169, 254],
  [10, 0, 0, 1],
  [172, 16, 0, 1],
  [192, 168, 1, 1],
  [100, 100, 100, 200],
  [0, 0, 0, 0],
  [224, 0, 0, 1],
  [255, 255, 255, 255],
  [198, 18, 0, 1],
  [192, 0, 0, 192],
  [168, 63, 129, 16],
]

const RADICES: readonly ((value: number) => string)[] = [
  (value) => String(value),
  (value) => `0x${value.toString(16)}`,
  (value) => `0${value.toString(8)}`,
]

/** Every way to write an IPv4 address in one to four numbers, each of them decimal, hexadecimal or octal. */
function numberSpellings([a, b, c, d]: Octets): string[] {
  const shapes = [
    [a, b, c, d],
    [a, b, c * 256 + d],
    [a, (b * 256 + c) * 256 + d],
    [((a * 256 + b) * 256 + c) * 256 + d],
  ]
  return shapes.flatMap((numbers) =>
    numbers.reduce<string[]>(
      (heads, value) =>
        heads.flatMap((head) => RADICES.map((write) => (head === '' ? write(value) : `${head}.${write(value)}`))),
      [''],
    ),
  )
}

/** Spellings that the URL parser folds into the dotted form. */
function foldedSpellings(octets: Octets): string[] {
  const dotted = octets.join('.')
  return [
    `${dotted}.`,
    dotted.replaceAll('.', '。'),
    dotted.replaceAll('.', '．'),
    dotted.replaceAll('.', '｡'),
    dotted.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    dotted.replace(/\d/g, (digit) => String.fromCodePoint(0x1d7d8 + Number(digit))),
    dotted.replace(/\d/g, (digit) => `%3${digit}`),
    dotted.replaceAll('.', '%2e'),
    dotted.replaceAll('.', '%E3%80%82'),
    dotted.replace('.', '.\u00AD'),
    dotted.replace('.', '\t.\n'),
    `public.example@${dotted}`,
    `public.example:80@${dotted}`,
    `public.example%40x@${dotted}`,
  ]
}

/** Inside an IPv6 address. The system takes the first three for the IPv4 address itself. */
function embeddedSpellings(octets: Octets): string[] {
  const dotted = octets.join('.')
  const [high, low] = [octets[0] * 256 + octets[1], octets[2] * 256 + octets[3]].map((word) => word.toString(16))
  return [
    `[::ffff:${dotted}]`,
    `[::FFFF:${high}:${low}]`,
    `[0:0:0:0:0:ffff:${high}:${low}]`,
    `[::${dotted}]`,
    `[::ffff:0:${dotted}]`,
    `[64:ff9b::${dotted}]`,
    `[64:ff9b::${high}:${low}]`,
    `[0064:FF9B:0:0:0:0:${high}:${low}]`,
    `[64:ff9b:1::${dotted}]`,
    `[64:ff9b:1:ffff::${high}:${low}]`,
    `[2002:${high}:${low}::]`,
    `[2002:${high}:${low}::1]`,
    `[2001::${high}:${low}]`,
    `[2001:0:${high}:${low}::1]`,
    `[fe80::5efe:${dotted}]`,
  ]
}

const MAPPED_FORMS = 3

const V6_LOOPBACK = [
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[0000:0000:0000:0000:0000:0000:0000:0001]',
  '[::0001]',
  '[0::1]',
  '[::0.0.0.1]',
  '[0:0::0:1]',
  'a@[::1]',
]

const V6_ELSEWHERE = [
  '[fd00:ec2::254]',
  '[fc00::1]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[ff0e::1]',
  '[100::1]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[5f00::1]',
  '[4000::1]',
]

/** Where a name leads is all that counts. */
const NAMES: readonly (readonly [string, ...string[]])[] = [
  ['localhost', '127.0.0.1'],
  ['LOCALHOST', '127.0.0.1'],
  ['LocalHost.', '127.0.0.1'],
  ['ｌｏｃａｌｈｏｓｔ', '127.0.0.1'],
  ['loc%61lhost', '127.0.0.1'],
  ['a.b.localhost', '127.0.0.1'],
  ['ⓛocalhost', '127.0.0.1'],
  ['localhost%2e', '127.0.0.1'],
  ['127.0.0.1.nip.example', '127.0.0.1'],
  ['7f000001.nip.example', '127.0.0.1'],
  ['1.1.1.1@inner.example', '127.0.0.1'],
  ['inner.example', '127.0.0.2'],
  ['inner.example', '127.255.255.254'],
  ['inner.example', '0.0.0.0'],
  ['inner.example', '::ffff:127.0.0.1'],
  ['inner.example', '::ffff:7f00:1'],
  ['bücher.example', '127.0.0.1'],
  ['xn--bcher-kva.example', '127.0.0.1'],
  ['_service.example', '127.0.0.1'],
  ['router', '127.0.0.1'],
]

const NAMES_ELSEWHERE: readonly (readonly [string, ...string[]])[] = [
  ['metadata.google.internal', '169.254.169.254'],
  ['instance-data', '169.254.169.254'],
  ['mixed.example', '8.8.8.8', '127.0.0.1'],
  ['mixed.example', '127.0.0.1', '8.8.8.8'],
  ['mixed.example', '2606:4700:4700::1111', '::1'],
  ['mixed.example', '8.8.8.8', '8.8.4.4', '10.0.0.1'],
  ['v6.example', '64:ff9b::7f00:1'],
  ['v6.example', '64:ff9b:1::7f00:1'],
  ['v6.example', '2002:7f00:1::'],
  ['v6.example', '2001::7f00:1'],
  ['v6.example', '::127.0.0.1'],
  ['v6.example', 'fe80::1%lo'],
  ['v6.example', 'fe80::1'],
  ['v6.example', 'fd00::1'],
  ['v6.example', '::'],
  ['odd.example', 'localhost'],
  ['odd.example', '127.1'],
  ['odd.example', '2130706433'],
  ['odd.example', '0x7f000001'],
  ['odd.example', ''],
  ['shared.example', '100.64.0.1'],
  ['cast.example', '224.0.0.1'],
]

/** What the URL parser itself refuses, or what is of another scheme. */
const NO_WEB_ADDRESS = [
  'http://[fe80::1%25lo]:PORT/',
  'http://[fe80::1%lo]:PORT/',
  'http://[::1%25lo]:PORT/',
  'http://[127.0.0.1]:PORT/',
  'http://127.0.0.1:PORT:80/',
  'http://256.256.256.256:PORT/',
  'http://127.0.0.0x100000000:PORT/',
  'http://1.2.3.4.5:PORT/',
  'file://127.0.0.1/etc/passwd',
  'file:///etc/passwd',
  'ftp://127.0.0.1:PORT/',
  'gopher://127.0.0.1:PORT/_GET',
  'ws://127.0.0.1:PORT/',
  'unix:/run/docker.sock',
  'data:text/html,<p>',
  'blob:http://127.0.0.1:PORT/x',
  'view-source:http://127.0.0.1:PORT/',
  'javascript:fetch("http://127.0.0.1:PORT/")',
]

/** The whole URL written in a way that only a parser reads right. */
const ODD_URLS = [
  'HTTP://127.0.0.1:PORT/',
  'http:127.0.0.1:PORT/',
  'http:/127.0.0.1:PORT/',
  'http:///127.0.0.1:PORT/',
  'http:\\\\127.0.0.1:PORT\\',
  'http://127.0.0.1:PORT\\@public.example/',
  'ht\ntp://127.0.0.1:PORT/',
  'http://127.0.\t0.1:PORT/',
  ' http://127.0.0.1:PORT/ ',
  'http://127.0.0.1:PORT#@public.example/',
  'http://127.0.0.1:PORT?@public.example/',
  'http://public.example:x@127.0.0.1:PORT/',
  'http://public.example%00@127.0.0.1:PORT/',
  'http://0:PORT/',
  'http://0x0:PORT/',
  'http://00000000000:PORT/',
  'http://127.0.0.1:0PORT/',
]

function toSpellings(hosts: readonly string[], leadsToLoopback: boolean): Spelling[] {
  return hosts.map((host) => ({ url: `http://${host}:PORT/`, leadsToLoopback }))
}

function named(names: readonly (readonly [string, ...string[]])[], leadsToLoopback: boolean): Spelling[] {
  return names.map(([host, ...addresses]) => ({ url: `http://${host}:PORT/`, leadsToLoopback, addresses }))
}

function unique(spellings: readonly Spelling[]): Spelling[] {
  return [...new Map(spellings.map((item) => [`${item.url} ${item.addresses?.join() ?? ''}`, item])).values()]
}

/** They all have a host, and that host is not of the public network. */
export const SPELLINGS: readonly Spelling[] = unique([
  ...toSpellings(numberSpellings(LOOPBACK), true),
  ...toSpellings(foldedSpellings(LOOPBACK), true),
  ...toSpellings(embeddedSpellings(LOOPBACK).slice(0, MAPPED_FORMS), true),
  ...toSpellings(embeddedSpellings(LOOPBACK).slice(MAPPED_FORMS), false),
  ...toSpellings(V6_LOOPBACK, true),
  ...toSpellings(['127.0.0.2', '127.1.1.1', '127.255.255.254', '0177.0.0.2'], true),
  ...ODD_URLS.map((url) => ({ url, leadsToLoopback: true })),
  ...named(NAMES, true),
  ...named(NAMES_ELSEWHERE, false),
  ...toSpellings(V6_ELSEWHERE, false),
  ...ELSEWHERE.flatMap((octets) => [
    ...toSpellings([octets.join('.')], false),
    ...toSpellings(numberSpellings(octets).slice(-3), false),
    ...toSpellings(foldedSpellings(octets), false),
    ...toSpellings(embeddedSpellings(octets), false),
  ]),
])

export const NOT_FETCHABLE: readonly string[] = NO_WEB_ADDRESS
