/** Zones of every habit: half and quarter hours, clocks that go back in summer or for Ramadan, days that never were. */
export const ZONES = [
  ...['UTC', 'Europe/Berlin', 'Europe/London', 'Europe/Dublin', 'Europe/Lisbon', 'Europe/Istanbul', 'Europe/Moscow'],
  ...['Europe/Chisinau', 'Atlantic/Azores', 'Africa/Casablanca', 'Africa/El_Aaiun', 'Africa/Cairo', 'Africa/Windhoek'],
  ...['Africa/Khartoum', 'Asia/Kathmandu', 'Asia/Kolkata', 'Asia/Tehran', 'Asia/Gaza', 'Asia/Amman', 'Asia/Pyongyang'],
  ...['Asia/Shanghai', 'Asia/Tokyo', 'Asia/Yangon', 'Australia/Lord_Howe', 'Australia/Sydney', 'Australia/Eucla'],
  ...['Pacific/Apia', 'Pacific/Chatham', 'Pacific/Kiritimati', 'Pacific/Norfolk', 'Pacific/Fiji', 'Antarctica/Troll'],
  ...['America/New_York', 'America/Los_Angeles', 'America/St_Johns', 'America/Caracas', 'America/Sao_Paulo'],
  ...['America/Havana', 'America/Santiago', 'America/Nuuk'],
]
