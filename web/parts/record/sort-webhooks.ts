/** The webhooks of one event in the order in which somebody wants to see them, and how they are, in words. Pure. */
import type { DeliveryRow, DeliveryStatus } from "../../../src/dashboard/contract/deliveries.ts";
import { number } from "../../words.ts";

/** What somebody may have to do something about comes first. */
const ORDER: Readonly<Record<DeliveryStatus, number>> = {
  failed: 0,
  retrying: 1,
  waiting: 2,
  cancelled: 3,
  delivered: 4,
};

type Row = Pick<DeliveryRow, "status">;

/** Those of one status stay in their order. */
export const sortWebhooks = <Each extends Row>(rows: readonly Each[]): readonly Each[] =>
  rows.toSorted((one, other) => ORDER[one.status] - ORDER[other.status]);

const WORDS: Readonly<Record<DeliveryStatus, readonly [one: string, many: string]>> = {
  failed: ["failed", "failed"],
  retrying: ["is retried", "are retried"],
  waiting: ["waits", "wait"],
  cancelled: ["was cancelled", "were cancelled"],
  delivered: ["was delivered", "were delivered"],
};

/** "Of 70, 11 are retried and 59 were delivered."; `null` for one alone, which its row tells. */
export function webhooksInWords(rows: readonly Row[]): string | null {
  if (rows.length < 2) return null;
  const statuses = Object.keys(ORDER) as DeliveryStatus[];
  const parts = statuses.flatMap((status) => {
    const found = rows.filter((row) => row.status === status).length;
    return found === 0 ? [] : [{ found, words: WORDS[status][found === 1 ? 0 : 1] }];
  });
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return `All ${number(only.found)} ${only.words}.`;
  const counted = parts.map(({ found, words }) => `${number(found)} ${words}`);
  return `Of ${number(rows.length)}, ${new Intl.ListFormat("en-GB").format(counted)}.`;
}
