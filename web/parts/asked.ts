/** Webhooks that are asked by a program of their owner's, instead of being called. Pure. */

/** Stands in the form and in answers where others have their Webhook URL (`src/domain/pull.ts`). */
export const ASKED_URL = "pull:";

export const isAsked = ({ url }: { readonly url: string }): boolean => url === ASKED_URL;

/** Where a webhook goes, for people: its URL, or that a program asks. */
export const targetInWords = (url: string): string => (url === ASKED_URL ? "Your program asks" : url);
