/** The credential of a call with `Authorization: Bearer …`: an intake key, or the token of a webhook that is asked. */

/** `null` when the header has none. */
export const readBearer = (authorization: string | undefined): string | null =>
  /^bearer[ \t]+(\S+)$/i.exec(authorization ?? "")?.[1] ?? null;
