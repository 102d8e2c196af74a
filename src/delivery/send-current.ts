/**
 * Steps 1 and 2 of an attempt under an account that is as the store has it: builds the request, and sends it unless the
 * account changes before its first byte is written. Then it is built again, for what is set up by then.
 *
 * A request STARTS when its first byte is handed to the socket: `send` asks at that moment, after the name was looked
 * up and the connection opened, which may take seconds. So nothing of an old view starts, however long that took.
 */
import type { AccountView } from "../accounts/account-view.ts";
import { accountMissing } from "../accounts/context.ts";
import type { SendResult } from "../domain/attempt.ts";
import { assert } from "../lib/assert.ts";
import { sleep } from "../lib/clock.ts";
import { StoreUnavailable } from "../store/contract/store.ts";
import type { DeliveryContext } from "./context.ts";
import type { WebhookRequest } from "./request.ts";

const ASK_AGAIN_MS = 500;

export interface CurrentSend<Built> {
  readonly accountId: string;
  /** The account's version that is known of. */
  readonly configVersion: number;
  /** What to send under this view now; `null` when there is nothing (more) to send. */
  readonly build: (view: AccountView) => Built | null;
  /** Whether it is too late to go on. Then a store that is away is not waited for either. */
  readonly isTooLate: () => boolean;
}

/** `null` when `build` had nothing to send or it became too late. Rejects with `StoreUnavailable`. */
export async function sendCurrent<Built extends { readonly request: WebhookRequest }>(
  ctx: Pick<DeliveryContext, "accounts" | "clock" | "send">,
  wanted: CurrentSend<Built>,
): Promise<(Built & { readonly result: SendResult }) | null> {
  while (!wanted.isTooLate()) {
    const view = await loadCurrent(ctx, wanted);
    const mayStart = (): boolean => ctx.accounts.isCurrent(view) && !wanted.isTooLate();
    // The answer took so long that it may be wrong by now.
    if (!mayStart()) continue;
    const built = wanted.build(view);
    if (built === null) return null;
    const result = await ctx.send(built.request, mayStart);
    if (result !== null) return { ...built, result };
  }
  return null;
}

/** While the store is away nothing can be confirmed, so nothing starts. */
async function loadCurrent(
  ctx: Pick<DeliveryContext, "accounts" | "clock">,
  { accountId, configVersion, isTooLate }: CurrentSend<unknown>,
): Promise<AccountView> {
  for (;;) {
    const view = await ctx.accounts.loadCurrent(accountId, configVersion).catch((error: unknown) => {
      if (error instanceof StoreUnavailable && !isTooLate()) return "away" as const;
      throw error;
    });
    assert(view !== null, accountMissing(accountId).detail);
    if (view !== "away") return view;
    await sleep(ctx.clock, ASK_AGAIN_MS);
  }
}
