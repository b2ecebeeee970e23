export const BASE_PATH = '/api/polylogue'
