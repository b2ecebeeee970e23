/**
 * Ways out of a sandbox, as shell commands that succeed only outside. Each gets: OUT (a folder with `file`), DATA (a
 * hidden folder with `secret` and `socket`), HOST_TMP (a file in the host's /tmp), PORT and SERVER_PID of the test.
 */
export interface Escape {
  readonly command: string
  /** Harmless enough to be tried without a sandbox, where it must succeed: so the probe itself is seen to work. */
  readonly isHarmless?: true
}

const harmless = (command: string): Escape => ({ command, isHarmless: true })
const grim = (command: string): Escape => ({ command })

export const ESCAPES: readonly Escape[] = [
  harmless('echo x > "$OUT/new"'),
  harmless('echo x >> "$OUT/file"'),
  harmless('touch "$OUT/file"'),
  harmless('mkdir "$OUT/folder"'),
  harmless('ln -s "$OUT" link && echo x > link/through-link'),
  harmless('ln "$OUT/file" hard && echo x >> hard'),
  harmless('cp "$OUT/file" "$OUT/copy"'),
  harmless('chmod 777 "$OUT/file"'),
  harmless('mv "$OUT/copy" "$OUT/moved"'),
  harmless('cat "$DATA/secret"'),
  harmless('test -n "$(ls -A "$DATA")"'),
  harmless('cat "/proc/self/root$DATA/secret"'),
  harmless('grep -rqs canary-in-data "$DATA"'),
  harmless('echo x > "$DATA/new" && cat "$DATA/secret"'),
  harmless('cat "$HOST_TMP"'),
  harmless('ls -d "/proc/$SERVER_PID"'),
  harmless('tr "\\0" "\\n" < "/proc/$SERVER_PID/environ" | grep -q PATH'),
  harmless('kill -0 "$SERVER_PID"'),
  harmless('exec 3<>"/dev/tcp/127.0.0.1/$PORT"'),
  harmless(
    `"$NODE" -e 'require("net").connect(process.env.DATA + "/socket").on("connect", () => process.exit(0)).on("error", () => process.exit(1))'`,
  ),
  harmless('test "$(readlink /proc/self/ns/pid)" = "$HOST_PID_NS"'),
  harmless('test "$(readlink /proc/self/ns/net)" = "$HOST_NET_NS"'),
  harmless('test "$(readlink /proc/self/ns/mnt)" = "$HOST_MNT_NS"'),
  grim('touch /polylogue-escaped'),
  grim('touch /etc/polylogue-escaped'),
  grim('touch /usr/polylogue-escaped'),
  grim('touch /var/polylogue-escaped'),
  grim('touch "$HOME/../polylogue-escaped"'),
  grim('touch /dev/../polylogue-escaped'),
  grim('mknod disk b 8 0 && test -b disk && head -c 1 disk'),
  grim('mount -o remount,rw /'),
  grim('mount -o remount,rw,bind / && touch /etc/polylogue-escaped'),
  grim('mount -t tmpfs none /mnt'),
  grim('umount /proc/sys'),
  grim('unshare -Urm sh -c "mount -o remount,rw,bind / && touch /etc/polylogue-escaped"'),
  grim('nsenter -t 1 -m touch /etc/polylogue-escaped'),
  grim('chroot /proc/1/root touch /etc/polylogue-escaped'),
  grim('test -w /proc/sys/kernel/core_pattern'),
  grim('test -w /proc/sysrq-trigger'),
  grim('test -w /sys/kernel/uevent_helper'),
  grim('test -n "$(ls -A /run)"'),
  grim('! grep -q "CapEff:.*0000000000000000" /proc/self/status'),
  grim('! grep -q "NoNewPrivs:.*1" /proc/self/status'),
]
