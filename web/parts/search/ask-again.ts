/** What a search for values of fields costs, and how soon a list is asked for again. Pure. */

/** `city:Berlin`, but no address (`https://…`) and no time. The service reads it with more care (field-values.ts). */
const FIELD_VALUE = /(?:^|\s)[a-z_][\w.-]*:(?!\/\/)\S/i;

/**
 * Guess. No index has the values of fields: such a search reads some 20,000 bodies, and an open one that is asked again
 * with each delivery of a busy account would be its most costly reader (measured: 140 ms of CPU each time).
 */
const BODIES_MS = 30_000;

export const looksIntoBodies = (q: string): boolean => FIELD_VALUE.test(q);

/** `everyMs`, or the time of a search for values of fields. */
export const askAgainMs = (q: string, everyMs: number): number => (looksIntoBodies(q) ? BODIES_MS : everyMs);
