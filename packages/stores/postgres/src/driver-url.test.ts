import { expect, it } from 'vitest'
import { toDriverUrl } from './driver-url.ts'

it.each(['prefer', 'require', 'verify-ca'])(
  'sslmode=%s checks the certificate, as the driver does, without its warning',
  (mode) => {
    expect(toDriverUrl(`postgres://me:p%23w@db/x?sslmode=${mode}&sslrootcert=%2Fca.pem`)).toBe(
      'postgres://me:p%23w@db/x?sslmode=verify-full&sslrootcert=%2Fca.pem',
    )
  },
)

it.each(['', '?sslmode=verify-full', '?sslmode=no-verify', '?sslmode=disable', '?uselibpqcompat=true&sslmode=require'])(
  'leaves %s as it is',
  (query) => {
    expect(toDriverUrl(`postgres://me@db/x${query}`)).toBe(`postgres://me@db/x${query}`)
  },
)
