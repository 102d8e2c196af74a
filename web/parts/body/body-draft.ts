/**
 * What a webhook sends, while somebody edits it. The Webhook URL of a chat tool chooses that tool's message by itself,
 * with the rate that the tool takes, until somebody says otherwise. Pure: every change gives a new draft.
 */
import type { BodyKind, BodySettings } from "../../../src/dashboard/contract/destinations.ts";
import type { FormLimits } from "../../../src/dashboard/contract/session.ts";
import { type ChatAddress, findChatAddress } from "../../../src/domain/chat-addresses.ts";
import { count, number } from "../../words.ts";
import type { FieldErrors } from "../field-errors.ts";

export interface BodyDraft {
  readonly kind: BodyKind;
  /** As typed; it stays while another kind is chosen. */
  readonly template: string;
  /** The rate that came with a kind that the address has chosen, as typed text; `null` when a person chose the kind. */
  readonly proposedRate: string | null;
  /** The tool that somebody does not want for this address. */
  readonly declined: BodyKind | null;
}

export const toBodyDraft = (saved: BodySettings | null): BodyDraft => ({
  kind: saved?.body ?? "event",
  template: saved?.template ?? "",
  proposedRate: null,
  declined: null,
});

export const toBodySettings = ({ kind, template }: BodyDraft): BodySettings => ({
  body: kind,
  // Blank lines before it stay: errors name their lines.
  template: kind === "template" ? template.trimEnd() : null,
});

/** A person's own choice. */
export const chooseBody = (draft: BodyDraft, kind: BodyKind): BodyDraft => ({ ...draft, kind, proposedRate: null });

/** The errors that the page can find by itself; what is no template is the service’s to say, at its line. */
export function checkBody({ kind, template }: BodyDraft, { templateBytesMax: max }: FormLimits): FieldErrors {
  if (kind !== "template") return {};
  if (template.trim() === "") return { template: "Write a template, or choose another body." };
  const bytes = new TextEncoder().encode(template.trimEnd()).length;
  if (bytes <= max) return {};
  return { template: `The template has ${count(bytes, "byte")}; at most ${number(max)} are taken.` };
}

/* A chat tool’s address chooses its message. */

/** The part of a webhook that an address can choose. */
export interface AddressedDraft {
  readonly url: string;
  readonly body: BodyDraft;
  /** As typed. */
  readonly kept: { readonly ratePerSecond: string };
}

/** After a change of the URL. */
export function followAddress<Draft extends AddressedDraft>(draft: Draft): Draft {
  const tool = findChatAddress(draft.url);
  const { kind, proposedRate, declined } = draft.body;
  if (tool === null) return proposedRate === null ? draft : leaveAddress(draft);
  const isFree = kind === "event" || proposedRate !== null;
  return isFree && kind !== tool.kind && declined !== tool.kind ? takeAddress(leaveAddress(draft), tool) : draft;
}

/** Chooses the tool’s message, and its rate where there is none. */
function takeAddress<Draft extends AddressedDraft>(draft: Draft, tool: ChatAddress): Draft {
  const rate = draft.kept.ratePerSecond.trim() === "" ? tool.ratePerSecond.toString() : "";
  return {
    ...draft,
    body: { ...draft.body, kind: tool.kind, proposedRate: rate, declined: null },
    kept: rate === "" ? draft.kept : { ...draft.kept, ratePerSecond: rate },
  };
}

/** Takes back what an address has chosen. */
function leaveAddress<Draft extends AddressedDraft>(draft: Draft): Draft {
  const { proposedRate } = draft.body;
  if (proposedRate === null) return draft;
  const isRateTheirs = proposedRate !== "" && draft.kept.ratePerSecond === proposedRate;
  return {
    ...draft,
    body: { ...draft.body, kind: "event", proposedRate: null },
    kept: isRateTheirs ? { ...draft.kept, ratePerSecond: "" } : draft.kept,
  };
}

/** A rate that somebody has typed, and not the one that the address takes. */
export const hasOwnRate = ({ url, kept: { ratePerSecond } }: AddressedDraft): boolean =>
  ratePerSecond !== "" && ratePerSecond !== findChatAddress(url)?.ratePerSecond.toString();

/** What the form says of the address of a chat tool, and the one press that it offers. */
export interface AddressNote<Draft> {
  readonly words: string;
  readonly action: string;
  readonly after: Draft;
}

/** `null` where there is nothing to say. */
export function noteAddress<Draft extends AddressedDraft>(draft: Draft): AddressNote<Draft> | null {
  const tool = findChatAddress(draft.url);
  const { kind, proposedRate } = draft.body;
  if (tool === null || kind === "template") return null;
  const { name } = tool;
  if (kind !== tool.kind) {
    return {
      words: `This is a ${name} address, and ${name} takes messages of its own form.`,
      action: `Send ${name} messages`,
      after: takeAddress({ ...draft, body: chooseBody(draft.body, "event") }, tool),
    };
  }
  if (proposedRate === null) return null;
  const rate = proposedRate === "" ? "" : `, ${proposedRate} a second at most`;
  return {
    words: `This is a ${name} address: each event is sent as a ${name} message${rate}.`,
    action: "Send the event itself",
    after: { ...leaveAddress(draft), body: { ...chooseBody(draft.body, "event"), declined: tool.kind } },
  };
}
