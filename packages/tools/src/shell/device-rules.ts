import type { Field } from './field.ts'
import { type PathContext, pathsOf } from './paths.ts'
import { type SimpleCommand, flagsOf, hasLongFlag, operandsOf } from './simple-command.ts'

const RAW_DEVICE =
  /^\/dev\/(?:(?:sd|hd|vd|xvd|nvme|mmcblk|loop|dm-|md|nbd|sr|ram|zd|zram|bcache|drbd|r?disk)[\w*?[\]{}-]*|(?:mapper|disk|block|zvol)\/.+|k?mem|port)$/

const MAKES_FILE_SYSTEM =
  /^(?:mk(?:e2?)?fs(?:\.|$)|mke2fs$|newfs(?:_\w+)?$|mk(?:dos|nt|exfat|udf|reiser|ntfs)\w*fs$|mk(?:dosfs|ntfs|udffs)$)/

/** The forbidden act of a command on a raw device. */
export function findHardlineDevice(command: SimpleCommand, context: PathContext): string | undefined {
  const { name, args, written } = command
  const isDevice = (field: Field) => pathsOf(field, context).some((path) => RAW_DEVICE.test(path))
  if (written.some(isDevice)) return 'redirect to a raw device'
  if (MAKES_FILE_SYSTEM.test(name)) {
    return asksForHelp(args) ? undefined : 'mkfs'
  }
  const flags = flagsOf(args)
  const operands = operandsOf(args)
  const onDevice = operands.some(isDevice)
  switch (name) {
    case 'dd':
    case 'dcfldd':
    case 'dc3dd':
      return args.some((arg) => isDevice({ ...arg, text: /^(?:h?of|h?wipe)=(.*)$/s.exec(arg.text)?.[1] ?? '' }))
        ? `${name} to a raw device`
        : undefined
    case 'tee':
    case 'cp':
    case 'mv':
    case 'truncate':
    case 'shred':
    case 'mkswap':
    case 'badblocks':
      return onDevice && (name !== 'cp' || isDevice(operands.at(-1) ?? EMPTY)) ? `${name} on a raw device` : undefined
    case 'curl':
    case 'wget':
    case 'pv':
    case 'qemu-img':
    case 'socat':
    case 'scp':
    case 'install':
      return putsOnDevice(args, isDevice) ? `${name} on a raw device` : undefined
    case 'partclone.dd':
    case 'partclone.ext4':
    case 'partclone.restore':
    case 'scrub':
    case 'nwipe':
    case 'sg_format':
    case 'sg_sanitize':
    case 'sg_write_same':
      return onDevice ? `${name} on a raw device` : undefined
    case 'find':
      return args.some((arg, at) => /^-f(?:print[0f]?|ls)$/.test(args[at - 1]?.text ?? '') && isDevice(arg))
        ? 'find that writes to a raw device'
        : undefined
    case 'vgremove':
    case 'lvremove':
      return operands.length > 0 && !asksForHelp(args) ? name : undefined
    case 'blkdiscard':
    case 'pvcreate':
    case 'pvremove':
    case 'mdadm':
    case 'ddrescue':
      return onDevice && !asksForHelp(args) ? `${name} on a raw device` : undefined
    case 'hdparm':
      return onDevice &&
        args.some(({ text }) =>
          /^--(?:security-erase|trim-sector|make-bad|write-sector|dco-restore|sanitize)/.test(text),
        )
        ? 'hdparm that erases a raw device'
        : undefined
    case 'nvme':
      return operands.some(({ text }) => /^(?:format|sanitize|delete-ns|write-zeroes)$/.test(text))
        ? 'nvme format'
        : undefined
    case 'zpool':
    case 'zfs':
      return operands[0]?.text === 'destroy' || (onDevice && /^(?:create|labelclear)$/.test(operands[0]?.text ?? ''))
        ? `${name} ${operands[0]?.text}`
        : undefined
    case 'wipefs':
      return onDevice &&
        !flags.has('n') &&
        (flags.has('a') || flags.has('o') || hasLongFlag(flags, 'all') || flags.has('offset'))
        ? 'wipefs on a raw device'
        : undefined
    case 'fdisk':
    case 'cfdisk':
    case 'sfdisk':
    case 'gdisk':
    case 'cgdisk':
    case 'sgdisk':
    case 'parted':
    case 'partx':
      return onDevice && !onlyLooks(name, args, flags) ? 'partitioning of a raw device' : undefined
    case 'cryptsetup':
      return operands.some(({ text }) =>
        /^(?:luksFormat|luksErase|luksKillSlot|luksRemoveKey|erase|format|reencrypt)$/.test(text),
      )
        ? 'cryptsetup format'
        : undefined
    case 'diskutil':
      return operands.some(({ text }) => /^(?:erase|partition|zero|secureErase|reformat|random)/i.test(text))
        ? 'diskutil erase'
        : undefined
    default:
      return undefined
  }
}

/** As the last argument, or as the value of an option for the output. */
function putsOnDevice(args: readonly Field[], isDevice: (field: Field) => boolean): boolean {
  return args.some((arg, index) => {
    const before = args[index - 1]?.text ?? ''
    const isTarget =
      index === args.length - 1 || /^(?:-[a-zA-Z]*[oO]|--output.*)$/.test(before) || arg.text.startsWith('-')
    const path = arg.text.slice(Math.max(arg.text.indexOf('/dev/'), 0))
    return isTarget && isDevice({ ...arg, text: path })
  })
}

const EMPTY: Field = { text: '', isKnown: true, hasGlob: false }

/** The verbs of `parted` that change something. Without any verb it waits for them. */
const CHANGES_PARTITIONS = /^(?:mk|rm|resize|name|set|toggle|disk_|rescue|move|cp)/

function onlyLooks(name: string, args: readonly Field[], flags: ReadonlySet<string>): boolean {
  if (asksForHelp(args)) return true
  switch (name) {
    case 'fdisk':
    case 'gdisk':
      return flags.has('l') || flags.has('list')
    case 'sfdisk':
      return ['l', 'd', 'J', 'V', 's', 'list', 'dump', 'json', 'verify', 'show-size'].some((flag) => flags.has(flag))
    case 'sgdisk':
      return [...flags].every(
        (flag) => 'pivO'.includes(flag) || flag === 'print' || flag === 'info' || flag === 'verify',
      )
    case 'parted':
      return flags.has('l') || flags.has('list') || args.every(({ text }) => !CHANGES_PARTITIONS.test(text))
    case 'partx':
      return ['s', 'o', 'show', 'P', 'r'].some((flag) => flags.has(flag))
    default:
      return false
  }
}

function asksForHelp(args: readonly Field[]): boolean {
  return args.length === 1 && /^(?:--help|--version|-V|-h)$/.test(args[0]?.text ?? '')
}
