/**
 * Steps 1 and 2 of an attempt under the account's current state: builds the request, and sends it unless the account
 * changes before its first byte is written. When it changes, the request is built again from the new set-up.
 *
 * A request STARTS when its first byte is handed to the socket. `send` asks at that moment, after the name look-up and
 * the connect, which may take seconds. So no request starts under an old view, however long that took.
 */
import type { AccountView } from "../accounts/account-view.ts";
import type { SendResult } from "../domain/attempt.ts";
import { sleep } from "../lib/clock.ts";
import { StoreUnavailable } from "../store/contract/store.ts";
import type { DeliveryContext } from "./context.ts";
import type { WebhookRequest } from "./send/request.ts";

const ASK_AGAIN_MS = 500;
/** Guess. There is capacity for another body when an attempt has ended. */
const CAPACITY_AGAIN_MS = 100;

/** What is to be sent; `unsent` is the result of an attempt that ends before that. */
interface ToSend {
  readonly request: WebhookRequest;
  readonly unsent?: SendResult | null;
}

export interface CurrentSend<Built> {
  readonly accountId: string;
  /** The newest version of the account that this node knows of. */
  readonly configVersion: number;
  /**
   * Builds the request under this view; `null` when there is nothing (more) to send, `full` when its body has to wait
   * for capacity.
   */
  readonly build: (view: AccountView) => Built | "full" | null;
  /** Whether it is too late to continue. Then the attempt does not wait for an absent store either. */
  readonly isTooLate: () => boolean;
}

/**
 * `null` when `build` had nothing to send, the account was deleted, or it became too late. Rejects with
 * `StoreUnavailable`.
 */
export async function sendCurrent<Built extends ToSend>(
  ctx: Pick<DeliveryContext, "accounts" | "clock" | "send">,
  wanted: CurrentSend<Built>,
): Promise<(Built & { readonly result: SendResult }) | null> {
  while (!wanted.isTooLate()) {
    const loaded = loadCurrent(ctx, wanted);
    const view = loaded instanceof Promise ? await loaded : loaded;
    if (view === null) return null;
    const mayStart = (): boolean => ctx.accounts.isCurrent(view) && !wanted.isTooLate();
    // The answer took so long that it may be outdated.
    if (!mayStart()) continue;
    const built = wanted.build(view);
    if (built === null) return null;
    if (built === "full") {
      await sleep(ctx.clock, CAPACITY_AGAIN_MS);
      continue;
    }
    const result = built.unsent ?? (await ctx.send(built.request, mayStart));
    if (result !== null) return { ...built, result };
  }
  return null;
}

/** At once where the view is held. */
function loadCurrent(
  ctx: Pick<DeliveryContext, "accounts" | "clock">,
  wanted: CurrentSend<unknown>,
): AccountView | Promise<AccountView | null> {
  const view = ctx.accounts.loadCurrent(wanted.accountId, wanted.configVersion);
  return view instanceof Promise ? confirmed(ctx, wanted, view) : view;
}

/** While the store is away no view can be confirmed, so no request starts. */
async function confirmed(
  ctx: Pick<DeliveryContext, "accounts" | "clock">,
  wanted: CurrentSend<unknown>,
  loading: Promise<AccountView | null>,
): Promise<AccountView | null> {
  const view = await loading.catch((error: unknown) => {
    if (error instanceof StoreUnavailable && !wanted.isTooLate()) return "away" as const;
    throw error;
  });
  if (view !== "away") return view;
  await sleep(ctx.clock, ASK_AGAIN_MS);
  return await loadCurrent(ctx, wanted);
}
