/** The way to a person's page. The address stands behind `#`, which browsers send to nobody. Pure. */

export const personHref = (email: string): string => `/people#email=${encodeURIComponent(email)}`;

/** Nearly an address: more of the domain may come while it is typed, and each is somebody. */
const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]{2,}$/;

export const isAddress = (text: string): boolean => ADDRESS.test(text);

/** Empty where there is none. A `+` stands for itself: support desks do not always encode what they put there. */
export function readEmail(hash: string): string {
  const [, text = ""] = /[#&]email=([^&]*)/.exec(hash) ?? [];
  try {
    return decodeURIComponent(text).trim();
  } catch {
    return text.trim();
  }
}
