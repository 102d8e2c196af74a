/** The kinds of bodies in words. */
import type { BodyKind } from "../../../src/dashboard/contract/destinations.ts";

export const BODIES: Readonly<Record<BodyKind, { readonly label: string; readonly help: string }>> = {
  event: { label: "Event", help: "The whole event as JSON, the way its type describes it." },
  slack: { label: "Slack message", help: "For the address of a Slack app’s incoming webhook." },
  teams: { label: "Teams message", help: "For a workflow that posts to a channel or chat." },
  discord: { label: "Discord message", help: "For the webhook of a Discord channel." },
  google_chat: { label: "Google Chat message", help: "For the webhook of a Google Chat space." },
  template: { label: "Template", help: "JSON that you write, with values of the event in it." },
};
