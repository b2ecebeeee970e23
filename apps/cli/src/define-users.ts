import { Argument, Option, type Command } from 'commander'
import type { UsersAddFlags, UsersFlags, UsersRemoveFlags } from './commands/users.ts'
import { formatExamples, withDataFlags } from './define-verbs.ts'

const ROLES = ['user', 'admin']

export function defineUsers(program: Command, finish: (exitCode: number) => void): void {
  const users = program
    .command('users')
    .description('list, add and remove users; admins manage users and never read the sessions of others')
    .addHelpText('after', formatExamples(['users list', 'users add anna', 'users remove anna']))
  withDataFlags(users.command('list'))
    .description('list the users with their roles, keys and signed-in browsers')
    .option('--json', 'print JSON')
    .addHelpText('after', formatExamples(['users list', 'users list --json']))
    .action(async (flags: UsersFlags) => finish(await (await import('./commands/users.ts')).listUsers(flags)))
  withDataFlags(users.command('add'))
    .description('add a user and, if a server is running, print a one-time sign-in link')
    .argument('<name>', 'up to 64 letters, digits, dots, dashes and underscores')
    .addOption(new Option('--role <role>', 'what the user may manage').choices(ROLES).default('user'))
    .option('--json', 'print JSON')
    .addHelpText('after', formatExamples(['users add anna', 'users add ben --role admin']))
    .action(async (name: string, flags: UsersAddFlags) =>
      finish(await (await import('./commands/users.ts')).addUser(name, flags)),
    )
  withDataFlags(users.command('role'))
    .description('change the role of a user')
    .argument('<name>', 'name from `users list`')
    .addArgument(new Argument('<role>', 'the new role').choices(ROLES))
    .addHelpText('after', formatExamples(['users role anna admin', 'users role anna user']))
    .action(async (name: string, role: 'user' | 'admin', flags: UsersFlags) =>
      finish(await (await import('./commands/users.ts')).changeRole(name, role, flags)),
    )
  withDataFlags(users.command('remove'))
    .description('remove a user with keys, sign-ins, memories, rules and schedules')
    .argument('<name>', 'name from `users list`')
    .option('--delete-sessions', 'also delete the sessions of the user; without it, a user with sessions stays')
    .addHelpText('after', formatExamples(['users remove anna', 'users remove anna --delete-sessions']))
    .action(async (name: string, flags: UsersRemoveFlags) =>
      finish(await (await import('./commands/users.ts')).removeUser(name, flags)),
    )
}
