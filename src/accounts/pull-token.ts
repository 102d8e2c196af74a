/**
 * Makes the token with which a program asks for what waits for a webhook. It is shown once; the one before ends. A
 * webhook that goes by itself goes all the same.
 */
import type { Actor } from "../domain/account.ts";
import type { Result } from "../domain/problem.ts";
import { newPullToken } from "../domain/pull.ts";
import { hashToken } from "../domain/token.ts";
import { ok, refuse } from "../lib/result.ts";
import type { AccountsContext } from "./context.ts";
import { destinationMissing } from "./set-destination-state.ts";

export interface MakePullToken {
  readonly accountId: string;
  readonly destinationId: string;
  readonly by: Actor;
}

export async function makePullToken(
  { store, clock, random }: Pick<AccountsContext, "store" | "clock" | "random">,
  whose: MakePullToken,
): Promise<Result<{ readonly token: string }>> {
  const token = newPullToken(random);
  const put = await store.putPullToken({ ...whose, tokenHash: hashToken(token), nowMs: clock.nowMs() });
  return put === "put" ? ok({ token }) : refuse(destinationMissing);
}
