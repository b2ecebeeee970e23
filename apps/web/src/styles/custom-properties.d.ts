import 'react'

declare module 'react' {
  interface CSSProperties {
    '--doors'?: string
  }
}
