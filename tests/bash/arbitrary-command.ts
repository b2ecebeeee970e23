import fc from 'fast-check'

/** A command, and what it is by the way it was made. */
export interface MadeCommand {
  readonly command: string
  readonly made: 'freely' | 'wrapped' | 'broken' | 'dynamic' | 'too-large'
}

const NAMES =
  'ls cat echo git rm dd tee find grep kill mkfs.ext4 shutdown npm make sed cp mv python3 printf [ test : cd'.split(' ')
const ARGUMENTS = [
  ...'-rf -r -f -la --force --recursive --output=x -c -- - / /etc ~ ~/x $HOME "$HOME" . .. * ? [a-z] a.txt of=/dev/sda'.split(
    ' ',
  ),
  ...[
    'if=x',
    '-delete',
    '-exec',
    '{}',
    '\\;',
    '+',
    '"a b"',
    "'a b'",
    "$'\\x2f'",
    '$X',
    '"${X:-/}"',
    '${X%%/*}',
    '{a,b}',
    '{1..3}',
  ],
  ...[
    'é',
    '漢字',
    '🦜',
    '\u202e',
    '\u200b',
    '\t',
    '#',
    'a#b',
    '!',
    '-1',
    '-9',
    '/dev/null',
    '/proc/1/environ',
    '\\',
    '"\\""',
  ],
]
const JOINTS = [
  ' ',
  ' ',
  ' ',
  ' ',
  '; ',
  ' && ',
  ' || ',
  ' | ',
  ' & ',
  '\n',
  ' > ',
  ' >> ',
  ' < ',
  ' 2>&1 ',
  ' <<E\n',
  '\nE\n',
  ' <<< ',
  ' |& ',
]
const BRACKETS: readonly (readonly [open: string, close: string])[] = [
  ['(', ')'],
  ['{ ', '; }'],
  ['$(', ')'],
  ['`', '`'],
  ['"$(', ')"'],
  ['<(', ')'],
  ['$((', '))'],
  ['f() { ', '; }; f'],
  ['if ', '; then ls; fi'],
  ['for i in a b; do ', '; done'],
  ['while ', '; do ls; done'],
  ['case x in x) ', ';; esac'],
  ['! ', ''],
]
const WRAPPERS = [
  ...'sudo,env,env -i,env A=1,nice,nice -n 5,timeout 5,nohup,exec,time,xargs,xargs -0,setsid,stdbuf -oL,ionice -c2,chroot /'.split(
    ',',
  ),
  ...'doas,command,busybox,strace,flock x,watch,parallel,unshare -r,npx,bunx,ssh host,docker run x,find . -exec,A=1,eval'.split(
    ',',
  ),
]

const word = fc.constantFrom(...NAMES, ...ARGUMENTS)
const joint = fc.constantFrom(...JOINTS)
const line = fc
  .tuple(fc.constantFrom(...NAMES), fc.array(fc.tuple(joint, word), { maxLength: 8 }))
  .map(([name, rest]) => name + rest.map(([between, next]) => between + next).join(''))
const nested = fc
  .tuple(fc.array(fc.constantFrom(...BRACKETS), { maxLength: 4 }), line)
  .map(([around, inner]) => around.reduce((sofar, [open, close]) => open + sofar + close, inner))
/** One that stands by itself as the words of a simple command. */
const simple = fc
  .tuple(
    fc.constantFrom('ls', 'cat', 'echo', 'grep', 'wc'),
    fc.array(fc.constantFrom('-l', 'a', "'b c'", '"d"'), { maxLength: 4 }),
  )
  .map((parts) => parts.flat().join(' '))

const freely = fc
  .oneof(
    nested,
    line,
    fc.string({ maxLength: 60 }),
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.array(word).map((all) => all.join('')),
  )
  .map((command): MadeCommand => ({ command, made: 'freely' }))
const wrapped = fc
  .tuple(fc.array(fc.constantFrom(...WRAPPERS), { minLength: 1, maxLength: 3 }), simple)
  .map(([wrappers, inner]): MadeCommand => ({ command: [...wrappers, inner].join(' '), made: 'wrapped' }))
const shellWrapped = fc
  .tuple(fc.constantFrom('sh', 'bash', '/bin/bash', 'dash', 'zsh'), fc.constantFrom('-c', '-lc', '-ec'), simple)
  .map(([shell, option, inner]): MadeCommand => ({ command: `${shell} ${option} ${quote(inner)}`, made: 'wrapped' }))
const broken = fc
  .tuple(
    simple,
    fc.constantFrom(' "', " '", ' $(', ' `', ' ${', '; fi', '; done', ' )', ' &&', ' |', '; if true', '; (', ' ;;'),
  )
  .map(([start, end]): MadeCommand => ({ command: start + end, made: 'broken' }))
const dynamic = fc
  .tuple(fc.constantFrom('$X', '"$X"', '${X}', '$(echo ls)', '`echo ls`', 'l$X', '/bin/l?', '$1', 'eval'), simple)
  .map(([name, inner]): MadeCommand => ({ command: `${name} ${inner}`, made: 'dynamic' }))
const tooLarge = fc
  .tuple(simple, fc.constantFrom('commands', 'bytes', 'depth', 'braces', 'wrappers'), fc.integer({ min: 0, max: 400 }))
  .map(([inner, what, more]): MadeCommand => ({ command: enlarge(inner, what, more), made: 'too-large' }))

export const arbitraryCommand: fc.Arbitrary<MadeCommand> = fc.oneof(
  { weight: 12, arbitrary: freely },
  { weight: 4, arbitrary: wrapped },
  { weight: 2, arbitrary: shellWrapped },
  { weight: 2, arbitrary: broken },
  { weight: 2, arbitrary: dynamic },
  { weight: 1, arbitrary: tooLarge },
)

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function enlarge(inner: string, what: 'commands' | 'bytes' | 'depth' | 'braces' | 'wrappers', more: number): string {
  switch (what) {
    case 'commands':
      return `${inner}; `.repeat(51 + more)
    case 'bytes':
      return `${inner} ${'x'.repeat(65_536 + more)}`
    case 'depth':
      return `${'( '.repeat(101 + (more % 50))}${inner}${' )'.repeat(101 + (more % 50))}`
    case 'braces':
      return `${inner} ${'{'.repeat(1501 + more)}`
    case 'wrappers':
      return `${'nice '.repeat(14 + (more % 30))}${inner}`
  }
}
