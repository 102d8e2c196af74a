/**
 * Addresses for e-mail about failures: owners add them, and have the confirmation sent again. `src/notify` sends it.
 */
import type { Actor } from "../domain/account.ts";
import { newId } from "../domain/id.ts";
import type {
  AddMailAddressResult,
  NewConfirmationLink,
  RequestConfirmationResult,
} from "../store/contract/recipients.ts";
import { stopTokenPlace } from "../domain/mail-address.ts";
import { confirmationPlace } from "../domain/message.ts";
import { hashToken, newToken } from "../domain/token.ts";
import type { AccountsContext } from "./context.ts";

type MailContext = Pick<AccountsContext, "store" | "clock" | "random" | "sealer">;

export interface AddFailureAddressParams {
  readonly accountId: string;
  /** The address as it was typed, checked to be one address. */
  readonly address: string;
  readonly by: Actor;
}

export function addFailureAddress(
  ctx: MailContext,
  { accountId, address, by }: AddFailureAddressParams,
): Promise<AddMailAddressResult> {
  const nowMs = ctx.clock.nowMs();
  const id = newId("adr", nowMs, ctx.random);
  const token = newToken(ctx.random);
  const sealedStop = ctx.sealer.seal(token, stopTokenPlace(id));
  return ctx.store.addMailAddress({
    accountId,
    address: { id, address, stopHash: hashToken(token), sealedStop },
    link: newLink(ctx),
    by,
    nowMs,
  });
}

export interface AskFailureAddressParams {
  readonly accountId: string;
  readonly addressId: string;
  readonly by: Actor;
}

export function askFailureAddress(ctx: MailContext, ask: AskFailureAddressParams): Promise<RequestConfirmationResult> {
  const nowMs = ctx.clock.nowMs();
  return ctx.store.requestConfirmation({ ...ask, link: newLink(ctx), nowMs });
}

function newLink({ random, sealer }: MailContext): NewConfirmationLink {
  const token = newToken(random);
  const secretHash = hashToken(token);
  return { secretHash, sealedSecret: sealer.seal(token, confirmationPlace(secretHash)) };
}
