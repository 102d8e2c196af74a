/**
 * An account as deciding and delivering see it: configuration with its secrets opened, looked up by id. Held in memory
 * only, never logged. A view belongs to one `configVersion`: the store refuses an accept decided with an old one.
 */
import type { Account } from "../domain/account.ts";
import type { Authentication } from "../domain/authentication.ts";
import type { BodySettings } from "../domain/body.ts";
import type { DemoAlert } from "../domain/alert.ts";
import type { Conditions } from "../domain/conditions.ts";
import type { CustomHeader, DestinationState, Target } from "../domain/destination.ts";
import { isPulled } from "../domain/pull.ts";
import type { Webhook } from "../domain/webhook.ts";
import { type KeptSettings, pickKept } from "../domain/webhook-form.ts";
import type { Sealer } from "../lib/seal.ts";
import type { MadeBy, StoredAccount, StoredDestination, StoredHeader } from "../store/contract/accounts.ts";
import { openAuthentication } from "./sealed-authentication.ts";
import { type AccountSecrets, openSecrets, secretsAt } from "./secrets.ts";

export interface DestinationView extends KeptSettings, MadeBy {
  readonly id: string;
  /** The checked text: the `href` of a `WebhookUrl`, which parses to the same URL again. */
  readonly url: string;
  readonly headers: readonly CustomHeader[];
  readonly authentication: Authentication | null;
  readonly state: DestinationState;
  /** When its settings were saved last. */
  readonly setUpAtMs: number;
}

/** The fields that all owners share. */
export interface OwnerView {
  /** Grows with each save: an editor names the revision that they saw. */
  readonly revision: number;
  /** The last save; `null` when its author was not kept. */
  readonly changed: { readonly by: string; readonly atMs: number } | null;
  readonly destination: DestinationView | null;
}

export interface AssistantView extends OwnerView {
  readonly name: string;
  /** Which conversations its webhook wants; `null` for all. */
  readonly conditions: Conditions | null;
}

export interface AccountView {
  readonly account: Account;
  /** Its destinations are paused, and it takes no records. */
  readonly isSuspended: boolean;
  readonly configVersion: number;
  readonly secrets: AccountSecrets;
  readonly alerts: readonly (OwnerView & { readonly alert: DemoAlert })[];
  /** Chat assistants by their id. */
  readonly assistants: ReadonlyMap<string, AssistantView>;
  readonly webhooks: readonly (OwnerView & { readonly webhook: Webhook; readonly destination: DestinationView })[];
  readonly destinations: ReadonlyMap<string, DestinationView>;
}

/** Opens what is sealed. Throws when the encryption key is not the one that sealed it. */
export function openAccount(stored: StoredAccount, sealer: Sealer): AccountView {
  const destinations = new Map<string, DestinationView>();
  const open = (destination: StoredDestination): DestinationView => {
    const view = openDestination(destination, sealer);
    destinations.set(view.id, view);
    return view;
  };
  const openAny = (destination: StoredDestination | null) => (destination === null ? null : open(destination));
  const { id, name, plan, appUrl, isSuspended, configVersion } = stored;
  return {
    account: { id, name, plan, appUrl },
    isSuspended,
    configVersion,
    secrets: openSecrets(stored.secrets, sealer, id),
    alerts: stored.alerts.map(({ destination, revision, changed, ...alert }) => ({
      alert,
      revision,
      changed,
      destination: openAny(destination),
    })),
    assistants: new Map(
      stored.assistants.map(({ id: assistantId, destination, ...assistant }) => [
        assistantId,
        { ...assistant, destination: openAny(destination) },
      ]),
    ),
    webhooks: stored.webhooks.map(({ destination, revision, changed, ...webhook }) => ({
      webhook,
      revision,
      changed,
      destination: open(destination),
    })),
    destinations,
  };
}

/** A saved destination's target. */
export interface CurrentTarget extends Target, Pick<DestinationView, "state" | "setUpAtMs"> {
  /** The view's own object: texts are kept by it. */
  readonly settings: BodySettings;
  readonly isOneAtATime: boolean;
}

/** Where a delivery to this destination goes at that instant; `null` when the account no longer has the destination. */
export function findTarget(view: AccountView, destinationId: string, nowMs: number): CurrentTarget | null {
  const destination = view.destinations.get(destinationId);
  if (destination === undefined) return null;
  const { url, headers, authentication, state, setUpAtMs, oneAtATime: isOneAtATime } = destination;
  const secrets = secretsAt(view.secrets, nowMs);
  return {
    destinationId,
    url: new URL(url),
    headers,
    authentication,
    state,
    setUpAtMs,
    secrets,
    isOneAtATime,
    settings: destination,
  };
}

/** Whether nodes send for it: it is on, and has a URL to be called. */
export const isSentTo = (destination: Pick<DestinationView, "state" | "url">): boolean =>
  destination.state === "on" && !isPulled(destination);

/** Whether the accepting node may send at once: where one goes at a time, a claim alone knows whose turn it is. */
export const startsAtOnce = (destination: Pick<DestinationView, "state" | "url" | "oneAtATime">): boolean =>
  isSentTo(destination) && !destination.oneAtATime;

export const headerContext = (destinationId: string, name: string): string =>
  `destinations|headers|${destinationId}|${name.toLowerCase()}`;

/** Throws when the encryption key is not the one that sealed it. */
export function openDestination(destination: StoredDestination, sealer: Sealer): DestinationView {
  const { id, url, state, setUpAtMs, callerId, appliedAtMs } = destination;
  return {
    ...pickKept(destination),
    id,
    url,
    state,
    setUpAtMs,
    callerId,
    appliedAtMs,
    headers: destination.headers.map((header) => openHeader(id, header, sealer)),
    authentication: openAuthentication(id, destination.authentication ?? null, sealer),
  };
}

function openHeader(destinationId: string, header: StoredHeader, sealer: Sealer): CustomHeader {
  if (!header.secret) return header;
  return { ...header, value: sealer.open(header.value, headerContext(destinationId, header.name)) };
}

/** The reverse: seals a header for the store. */
export function sealHeader(destinationId: string, header: CustomHeader, sealer: Sealer): StoredHeader {
  if (!header.secret) return header;
  return { ...header, value: sealer.seal(header.value, headerContext(destinationId, header.name)) };
}
