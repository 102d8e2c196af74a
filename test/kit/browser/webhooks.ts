/** Alerts with webhooks for the tests of the log, saved without the page: what they are about begins behind that. */
import { saveAlert } from "../../../src/accounts/save-alert.ts";
import type { Dashboard } from "../world/dashboard.ts";
import { ADA, valueOf } from "../world/world.ts";

/** Two attempts in quick succession: a test sees a delivery fail for good without waiting. */
export const TWO_ATTEMPTS = { delaysMs: [20], jitter: 0 };

export interface AlertAt {
  readonly name?: string;
  readonly url: string;
  readonly headers?: readonly { readonly name: string; readonly value: string; readonly secret: boolean }[];
}

/** Returns the destination's id. */
export async function putAlert(
  { app: { accounts } }: Dashboard,
  accountId: string,
  { name = "New leads", url, headers = [] }: AlertAt,
): Promise<string> {
  const settings = { name, audience: "all", demos: [], intentLevels: [], webhooksOn: true } as const;
  const webhook = { url, headers, ratePerSecond: null };
  const { id } = valueOf(await saveAlert(accounts, { accountId, existing: null, settings, webhook, by: ADA }));
  const view = await accounts.accounts.load(accountId);
  const saved = view?.alerts.find(({ alert }) => alert.id === id)?.destination ?? null;
  if (saved === null) throw new Error(`the alert ${name} has no destination`);
  return saved.id;
}
