/** The name that a new alert or webhook is proposed: by the host that it sends to. Pure. */
import { isPulled } from "../../../src/domain/pull.ts";
import { completeUrl } from "../webhook/draft.ts";

export interface NameRules {
  /** "Alert". */
  readonly label: string;
  /** The names that the account has already. */
  readonly taken: readonly string[];
  readonly charsMax: number;
  /** Where no URL is asked for: "New alert". */
  readonly withoutUrl?: string;
}

/** The name to go on with: a person's own stays, an empty or a proposed one follows the Webhook URL. */
export function proposeName(name: string, url: string, { label, taken, charsMax, withoutUrl = "" }: NameRules): string {
  const start = `${label} to `;
  const isOwn = name.trim() !== "" && !name.startsWith(start);
  const host = isPulled({ url }) ? "my program" : (URL.parse(completeUrl(url))?.host ?? "");
  if (isOwn) return name;
  if (host === "" && name.trim() !== "") return name;
  if (host === "") return withoutUrl === "" ? "" : findFreeName(withoutUrl, { taken, charsMax });
  return findFreeName(`${start}${host}`, { taken, charsMax });
}

/** The name itself, or with the first number that makes it another one; a long name is cut. */
export function findFreeName(wanted: string, { taken, charsMax }: Pick<NameRules, "taken" | "charsMax">): string {
  const base = wanted.slice(0, charsMax - " 999".length).toWellFormed();
  const names = new Set(taken.map((each) => each.toLowerCase()));
  for (let number = 1; ; number += 1) {
    const next = number === 1 ? base : `${base} ${number}`;
    if (!names.has(next.toLowerCase())) return next;
  }
}
