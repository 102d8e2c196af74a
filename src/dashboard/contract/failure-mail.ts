/** E-mail about failures: what owners see of its addresses, and what a recipient decides by the links of emails. */
import type { FormOf } from "../../domain/form.ts";
import type { mailLinkForm, useMailLinkForm } from "../forms/bodies.ts";
import type { ConfirmationState, MailAddressState } from "../../domain/mail-address.ts";

export interface FailureMailAnswer {
  readonly addresses: readonly FailureMailAddress[];
  readonly addressesMax: number;
  readonly isSetUpByOperator: boolean;
}

export interface FailureMailAddress {
  readonly id: string;
  readonly address: string;
  /** Only those that are `confirmed` get email. `stopped`: by a person who reads the mailbox, who alone can undo it. */
  readonly state: MailAddressState;
  readonly sinceMs: number;
  /** The fate of the latest confirmation email. */
  readonly confirmation: { readonly atMs: number; readonly state: ConfirmationState };
  /** When another one may be asked for at the earliest. */
  readonly askAgainAtMs: number;
}

export type MailLinkBody = FormOf<typeof mailLinkForm>;
export type UseMailLinkBody = FormOf<typeof useMailLinkForm>;

export interface MailLinkAnswer {
  readonly purpose: "confirm" | "stop";
  /** The account's name, made plain: the recipient has not asked to hear from that account. */
  readonly accountName: string;
  readonly address: string;
  readonly state: MailAddressState;
  /** The account no longer names this address. */
  readonly isRemoved: boolean;
}
