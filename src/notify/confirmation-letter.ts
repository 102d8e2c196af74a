/**
 * The text of the letter that asks whether an address may get e-mail about failures. It goes to people who may never
 * have heard of us, so it holds nothing of the account but its name, made plain and cut. Pure.
 */
import { askingName } from "../domain/plain-text.ts";
import type { ClaimedConfirmation } from "../store/contract/mail.ts";
import { type Letter, inWords, mailLinkUrl } from "./letter.ts";

export interface ConfirmationLinks {
  readonly publicUrl: string;
  readonly token: string;
  readonly stopToken: string;
}

export function confirmationLetter(
  { accountName, linkUntilMs }: Pick<ClaimedConfirmation, "accountName" | "linkUntilMs">,
  { publicUrl, token, stopToken }: ConfirmationLinks,
): Letter {
  const lines = [
    "An account of this service wants to send e-mail to this address when its webhooks fail.",
    "",
    `Account: ${askingName(accountName)}`,
    `Service: ${new URL(publicUrl).host}`,
    "",
    "If you want these letters, open this page and confirm:",
    mailLinkUrl(publicUrl, token),
    "",
    `The link works once, until ${inWords(linkUntilMs)}. Opening it changes nothing.`,
    "If you do not know the account, do nothing: you get no other letters than this question unless you confirm.",
    "",
    "-- ",
    "Do not let this account ask again:",
    mailLinkUrl(publicUrl, stopToken),
  ];
  return { subject: "Confirm this address for e-mail about failing webhooks", text: lines.join("\n") };
}
