/**
 * A webhook for the developer who builds a receiver: a program asks for every event, on a machine that nobody can call.
 * It goes by itself, so that none is left behind that hands out an account's events.
 */
import type { Actor } from "../domain/account.ts";
import type { Result } from "../domain/problem.ts";
import { PULL_URL } from "../domain/pull.ts";
import { UNTOUCHED } from "../domain/webhook-form.ts";
import { daysMs, minutesMs } from "../lib/duration.ts";
import { ok } from "../lib/result.ts";
import { createRounds, type Part } from "../lib/rounds.ts";
import type { AccountsContext } from "./context.ts";
import { makePullToken } from "./pull-token.ts";
import { deleteWebhook, saveWebhook } from "./save-webhook.ts";

const TRIAL_MS = daysMs(1);

export interface MadeTrial {
  readonly id: string;
  readonly token: string;
  readonly endsAtMs: number;
}

export async function makeTrialWebhook(
  ctx: AccountsContext,
  { accountId, by }: { readonly accountId: string; readonly by: Actor },
): Promise<Result<MadeTrial>> {
  const settings = { name: `Trial of ${by.person}`, events: "all" } as const;
  const webhook = { ...UNTOUCHED, url: PULL_URL, headers: [] };
  // With its end from the start: a process that dies before the token is made leaves none for good.
  const endsAtMs = ctx.clock.nowMs() + TRIAL_MS;
  const saved = await saveWebhook(ctx, { accountId, existing: null, settings, webhook, endsAtMs, by });
  if (!saved.ok) return saved;
  const { id } = saved.value;
  const destinationId = await findDestinationId(ctx, accountId, id);
  const made = await makePullToken(ctx, { accountId, destinationId, by });
  return made.ok ? ok({ id, endsAtMs, ...made.value }) : made;
}

async function findDestinationId({ accounts }: AccountsContext, accountId: string, id: string): Promise<string> {
  const view = await accounts.loadAnew(accountId);
  return view?.webhooks.find(({ webhook }) => webhook.id === id)?.destination.id ?? "";
}

/** Guess. More are ended a minute later. */
const ENDED_AT_ONCE = 100;

const BY_ITSELF: Actor = { person: "system", role: "system" };

/** How late one may go. */
const ENDED_EVERY_MS = minutesMs(1);

/** Deletes those whose day is over, on whichever node looks first. */
export function createTrialEnds(
  ctx: AccountsContext,
  onFailure: (error: unknown) => void,
): Part & { readonly step: () => Promise<void> } {
  async function step(): Promise<void> {
    const ended = await ctx.store.listEndedPulls({ nowMs: ctx.clock.nowMs(), limit: ENDED_AT_ONCE });
    for (const { accountId, webhookId: id, revision } of ended) {
      // Refused only when somebody has deleted or changed it meanwhile: the next step looks again.
      await deleteWebhook(ctx, { accountId, id, revision, by: BY_ITSELF });
    }
  }
  const rounds = createRounds(ctx.clock, async () => {
    await step().catch(onFailure);
    return ENDED_EVERY_MS;
  });
  return { step, start: rounds.start, stop: rounds.stop };
}
