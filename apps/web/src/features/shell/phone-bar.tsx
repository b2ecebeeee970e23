import { Ellipsis, Inbox, MessageSquare, Search } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'wouter'

interface PhoneBarProps {
  /** How many sessions wait for the user. */
  readonly waiting: number
  readonly isMoreOpen: boolean
  readonly onMore: () => void
}

/** On a phone: the four places, within reach of a thumb. */
export function PhoneBar({ waiting, isMoreOpen, onMore }: PhoneBarProps) {
  const { t } = useTranslation()
  const [location] = useLocation()
  const places = [
    {
      href: '/',
      label: t('toChat'),
      icon: <MessageSquare size={18} aria-hidden />,
      isHere: /^\/(?:s\/.*)?$/.test(location),
    },
    { href: '/inbox', label: t('inbox'), icon: <Inbox size={18} aria-hidden />, isHere: location === '/inbox' },
    {
      href: '/sessions',
      label: t('sessions'),
      icon: <Search size={18} aria-hidden />,
      isHere: location === '/sessions',
    },
  ]
  return (
    <nav className="phone-bar" aria-label={t('menu')}>
      {places.map(({ href, label, icon, isHere }) => (
        <Link key={href} href={href} aria-current={isHere ? 'page' : undefined}>
          {icon}
          <span>{label}</span>
          {href === '/inbox' && waiting > 0 ? <b className="rail-count">{waiting}</b> : null}
        </Link>
      ))}
      <button
        type="button"
        aria-expanded={isMoreOpen}
        aria-current={places.some(({ isHere }) => isHere) ? undefined : 'page'}
        onClick={onMore}
      >
        <Ellipsis size={18} aria-hidden />
        <span>{t('more')}</span>
      </button>
    </nav>
  )
}
