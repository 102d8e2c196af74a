/** The success rate (src/domain/success.ts) in words, and what is overdue. Pure. */
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import { percent } from "../health/health-words.ts";

export interface Overdue {
  readonly count: number;
  /** There are more than were counted. */
  readonly isCapped: boolean;
}

type Waiting = Pick<DestinationView["health"], "word" | "waiting">;

const isOverdue = ({ word }: Waiting): boolean => word === "failing" || word === "off";

/** What waits while its endpoint fails or is off: the same figures as the banners have. */
export function sumOverdue(destinations: readonly { readonly health: Waiting }[]): Overdue {
  const troubled = destinations.filter(({ health }) => isOverdue(health));
  return {
    count: troubled.reduce((sum, { health }) => sum + health.waiting.count, 0),
    isCapped: troubled.some(({ health }) => health.waiting.isCapped),
  };
}

/** "98.5 %"; "under 50 %" where more is overdue than was counted, because the true share is smaller then. */
export function shareInWords(share: number | null, isCapped: boolean): string | null {
  if (share === null) return null;
  return isCapped && share > 0 ? `under ${percent(share)}` : percent(share);
}

/** One destination's share, as the service has it. */
export function successInWords(health: Waiting & Pick<DestinationView["health"], "successRate">): string {
  return shareInWords(health.successRate, isOverdue(health) && health.waiting.isCapped) ?? "–";
}
