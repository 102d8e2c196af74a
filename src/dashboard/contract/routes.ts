/**
 * Every call that the page makes, below `dashboard/` of the service's address, each said once: who may call it, what it
 * takes and what it answers. The server checks by this table, and its handlers and the page take their types from it.
 * Private to the page: nothing here is an interface for managing webhooks (specification §4), and each version may have
 * others.
 *
 * A row with a `role` needs the session's cookie, and that role at least: owners may do everything that viewers may.
 * Those that change something need `x-bellwire-csrf` too, a JSON body where there is a `body`, and
 * `If-Match: "<revision>"` where `ifMatch` is. Refusals are problem documents (RFC 9457).
 */
import type { TSchema } from "typebox";
import type { Role } from "../../domain/account.ts";
import type { FormOf } from "../../domain/form.ts";
import { certificateForm } from "../../domain/webhook-form.ts";
import * as bodies from "../forms/bodies.ts";
import * as queries from "../forms/queries.ts";
import type * as alerts from "./alerts.ts";
import type { ChangedMany, ChosenHosts } from "./chosen.ts";
import type { BodyPreview } from "./body-preview.ts";
import type * as catalog from "./catalog.ts";
import type * as conditions from "./conditions.ts";
import type * as deliveries from "./deliveries.ts";
import type * as destinations from "./destinations.ts";
import type * as failureMail from "./failure-mail.ts";
import type { AccountIncidentList, IncidentFiguresAnswer, IncidentList } from "./incidents.ts";
import type { NewsChannelsAnswer, NewsChannelTest } from "./news-channels.ts";
import type * as people from "./people.ts";
import type { ReadKeyMade, ReadKeysAnswer } from "./read-keys.ts";
import type { AuditAnswer, SessionAnswer, SignedInAnswer } from "./session.ts";
import type { StatisticsAnswer } from "./statistics.ts";
import type { Decisions, WebhookReport } from "./webhook-page.ts";
import type { TrialWebhook, WebhookDetail, WebhookList } from "./webhooks.ts";
import type * as verification from "./verification.ts";

export interface RouteRow {
  /** The lowest that may call it. Left out where the call itself shows who it is: sign-in and the links of e-mails. */
  readonly role?: Role;
  readonly query?: TSchema;
  readonly body?: TSchema;
  /** `FORM_BYTES_MAX` unless given: for a body that has an event's body in it. */
  readonly bodyBytesMax?: number;
  /** The revision that the editor saw. */
  readonly ifMatch?: true;
  readonly answer: unknown;
}

/** A type alone: what we answer ourselves is not checked. */
const of = <Answer>(): Answer => undefined as Answer;

/** An answer without a body (204). */
const NOTHING = of<null>();

export const ROUTES = {
  "POST /sign-in": { body: bodies.signInForm, answer: of<SessionAnswer>() },
  "GET /session": { role: "viewer", answer: of<SessionAnswer>() },
  "POST /sign-out": { answer: NOTHING },

  "GET /alerts": { role: "viewer", answer: of<alerts.AlertList>() },
  "GET /alerts/suggestions": { role: "viewer", answer: of<alerts.AlertSuggestions>() },
  "GET /alerts/fields": { role: "viewer", answer: of<conditions.ConditionFields>() },
  /** Tries what the form has, saved or not. Changes nothing; viewers may too. */
  "POST /alerts/preview": { role: "viewer", body: bodies.alertPreviewForm, answer: of<conditions.ConditionsPreview>() },
  "GET /alerts/:id": { role: "viewer", answer: of<alerts.AlertDetail>() },
  "POST /alerts": { role: "owner", body: bodies.alertForm, answer: of<alerts.SavedAnswer>() },
  "PUT /alerts/:id": { role: "owner", ifMatch: true, body: bodies.alertForm, answer: of<alerts.SavedAnswer>() },
  "DELETE /alerts/:id": { role: "owner", ifMatch: true, answer: NOTHING },
  "GET /alerts/sample": { role: "viewer", answer: of<alerts.SampleBody>() },
  /** `id` is `new` for an alert that was never saved. */
  "POST /alerts/:id/test": {
    role: "owner",
    body: bodies.testForm,
    bodyBytesMax: bodies.EVENT_FORM_BYTES_MAX,
    answer: of<alerts.TestAnswer>(),
  },

  /** What a body would have been for the latest events, saved or not. Changes nothing; viewers may too. */
  "POST /alerts/body-preview": { role: "viewer", body: bodies.bodyPreviewForm, answer: of<BodyPreview>() },

  "GET /webhooks": { role: "viewer", answer: of<WebhookList>() },
  "GET /webhooks/fields": {
    role: "viewer",
    query: queries.typesQuery,
    answer: of<conditions.ConditionFields>(),
  },
  "POST /webhooks/body-preview": { role: "viewer", body: bodies.webhookBodyPreviewForm, answer: of<BodyPreview>() },
  "GET /webhooks/:id": { role: "viewer", answer: of<WebhookDetail>() },
  "POST /webhooks": { role: "owner", body: bodies.ownWebhookForm, answer: of<alerts.SavedAnswer>() },
  "PUT /webhooks/:id": { role: "owner", ifMatch: true, body: bodies.ownWebhookForm, answer: of<alerts.SavedAnswer>() },
  "DELETE /webhooks/:id": { role: "owner", ifMatch: true, answer: NOTHING },
  /** `id` is `new` for a webhook that was never saved. */
  "POST /webhooks/:id/test": {
    role: "owner",
    body: bodies.eventTestForm,
    bodyBytesMax: bodies.EVENT_FORM_BYTES_MAX,
    answer: of<alerts.TestAnswer>(),
  },

  "GET /assistants": { role: "viewer", answer: of<alerts.AssistantList>() },
  "GET /assistants/:id": { role: "viewer", answer: of<alerts.AssistantDetail>() },
  /** `null` removes the webhook; what waits for it is cancelled. */
  "PUT /assistants/:id/webhook": {
    role: "owner",
    ifMatch: true,
    body: bodies.assistantForm,
    answer: of<alerts.SavedAnswer>(),
  },
  "GET /assistants/:id/fields": { role: "viewer", answer: of<conditions.ConditionFields>() },
  "POST /assistants/:id/preview": {
    role: "viewer",
    body: bodies.previewForm,
    answer: of<conditions.ConditionsPreview>(),
  },
  "POST /assistants/:id/body-preview": {
    role: "viewer",
    body: bodies.bodyPreviewForm,
    answer: of<BodyPreview>(),
  },
  "GET /assistants/:id/sample": { role: "viewer", answer: of<alerts.SampleBody>() },
  "POST /assistants/:id/test": {
    role: "owner",
    body: bodies.testForm,
    bodyBytesMax: bodies.EVENT_FORM_BYTES_MAX,
    answer: of<alerts.TestAnswer>(),
  },
  "GET /assistants/:id/conversations": {
    role: "viewer",
    query: queries.searchedQuery,
    answer: of<deliveries.EventList>(),
  },

  "GET /destinations": { role: "viewer", answer: of<destinations.DestinationList>() },
  "GET /destinations/:id": { role: "viewer", answer: of<destinations.DestinationDetail>() },
  /** For its own page, beside its statistics. */
  "GET /destinations/:id/report": { role: "viewer", query: queries.reportQuery, answer: of<WebhookReport>() },
  /** What it would do with events: the newest that it is meant for, or those that a search finds. */
  "GET /destinations/:id/decisions": { role: "viewer", query: queries.decisionsQuery, answer: of<Decisions>() },
  "GET /destinations/:id/incidents": { role: "viewer", query: queries.incidentsQuery, answer: of<IncidentList>() },
  "GET /destinations/:id/incident-figures": {
    role: "viewer",
    query: queries.incidentFiguresQuery,
    answer: of<IncidentFiguresAnswer>(),
  },
  /** Of every destination. */
  "GET /incidents": { role: "viewer", query: queries.incidentsQuery, answer: of<AccountIncidentList>() },
  "PUT /destinations/:id/state": { role: "owner", body: bodies.destinationStateForm, answer: NOTHING },
  /** Makes the destination's waiting deliveries go out now. The answer shows the destination as it was before. */
  "POST /destinations/:id/send-waiting": { role: "owner", answer: of<destinations.DestinationView>() },
  /** The same for many; each by itself. */
  "POST /destinations/send-waiting": {
    role: "owner",
    body: bodies.selectionForm,
    answer: of<destinations.SendWaitingAnswer>(),
  },
  /** Cancels the delivery that all others wait for, where they go one at a time. */
  "POST /destinations/:id/skip": { role: "owner", body: bodies.skipForm, answer: NOTHING },
  /** Of one that is asked; the one before ends. */
  "POST /destinations/:id/pull-token": { role: "owner", answer: of<destinations.PullTokenAnswer>() },
  /** With the settings that are saved. */
  "POST /destinations/:id/test": { role: "owner", answer: of<alerts.TestAnswer>() },

  /** One step for many webhooks, of any owners: each by itself, as the call for one does it. */
  "POST /chosen-webhooks": { role: "owner", body: bodies.chosenStepForm, answer: of<ChangedMany>() },
  /** Where they go now, and what a new host would not get by itself. Changes nothing. */
  "POST /chosen-webhooks/hosts": { role: "owner", body: bodies.chosenForm, answer: of<ChosenHosts>() },
  /** Tests one of them at the new host, before any is moved. */
  "POST /chosen-webhooks/move-test": { role: "owner", body: bodies.moveTestForm, answer: of<alerts.TestAnswer>() },

  /** The facts of a pasted client certificate; nothing is kept. */
  "POST /client-certificate": { role: "owner", body: certificateForm, answer: of<destinations.CertificateFacts>() },

  "GET /statistics": { role: "viewer", query: queries.statisticsQuery, answer: of<StatisticsAnswer>() },

  "GET /deliveries": { role: "viewer", query: queries.deliveryQuery, answer: of<deliveries.DeliveryList>() },
  /** On every page, as the next: a cursor counts for nothing. */
  "GET /deliveries/matching": {
    role: "owner",
    query: queries.deliveryQuery,
    answer: of<deliveries.MatchingDeliveries>(),
  },
  "GET /deliveries/total": { role: "viewer", query: queries.deliveryQuery, answer: of<deliveries.DeliveryTotal>() },
  "GET /deliveries/:id": { role: "viewer", answer: of<deliveries.DeliveryDetail>() },
  /** An attempt now: again for one that has ended, early for one that waits. */
  "POST /deliveries/:id/resend": { role: "owner", answer: NOTHING },
  /** The same for a selection. */
  "POST /deliveries/resend": { role: "owner", body: bodies.selectionForm, answer: of<deliveries.SelectionAnswer>() },

  /** Of the log; everybody sees them. */
  "GET /views": { role: "viewer", answer: of<deliveries.ViewsAnswer>() },
  "PUT /views": { role: "owner", body: bodies.viewForm, answer: of<deliveries.ViewsAnswer>() },

  "GET /replays": { role: "viewer", answer: of<deliveries.ReplayList>() },
  "POST /replays": { role: "owner", body: bodies.replayForm, answer: of<deliveries.ReplayView>() },
  "GET /replays/:id": { role: "viewer", answer: of<deliveries.ReplayView>() },
  "PUT /replays/:id/state": { role: "owner", body: bodies.replayStateForm, answer: of<deliveries.ReplayView>() },

  /** Of all types, or of one. */
  "GET /events": { role: "viewer", query: queries.eventsQuery, answer: of<deliveries.EventList>() },
  /** By the event's key, to the letter. */
  "GET /events/:type/:id": { role: "viewer", answer: of<deliveries.DeclaredEventDetail>() },

  "GET /sessions": { role: "viewer", query: queries.searchedQuery, answer: of<deliveries.EventList>() },
  /** By the session's own id, in either case. */
  "GET /sessions/:id": { role: "viewer", answer: of<deliveries.EventDetail>() },
  "GET /conversations/:id": { role: "viewer", answer: of<deliveries.EventDetail>() },

  /** Not in the address: proxies write that down. */
  "POST /people": { role: "viewer", body: bodies.personForm, answer: of<people.PersonPage>() },
  "POST /people/replays": { role: "owner", body: bodies.personReplayForm, answer: of<deliveries.ReplayView>() },
  "POST /people/erase": { role: "owner", body: bodies.erasePersonForm, answer: of<people.ErasedAnswer>() },

  "GET /refused-records": { role: "viewer", query: queries.pageQuery, answer: of<catalog.RefusedRecordList>() },

  "GET /event-types/:type": { role: "viewer", answer: of<catalog.EventTypeView>() },
  /** For conditions on events of one type: what can be chosen, and how many they would have let through. */
  "GET /event-types/:type/fields": { role: "viewer", answer: of<conditions.ConditionFields>() },
  "POST /event-types/:type/preview": {
    role: "viewer",
    body: bodies.previewForm,
    answer: of<conditions.ConditionsPreview>(),
  },

  "GET /verification": { role: "viewer", answer: of<verification.VerificationAnswer>() },
  "POST /verification/reveal": { role: "owner", body: bodies.revealForm, answer: of<verification.RevealAnswer>() },
  "POST /verification/rotate": {
    role: "owner",
    body: bodies.rotateForm,
    answer: of<verification.VerificationAnswer>(),
  },
  "POST /verification/end-rotation": {
    role: "owner",
    body: bodies.endRotationForm,
    answer: of<verification.VerificationAnswer>(),
  },
  "POST /verification/signing-key": {
    role: "owner",
    body: bodies.signingKeyForm,
    answer: of<verification.VerificationAnswer>(),
  },
  /** Changes nothing; viewers may too. */
  "POST /verification/check": {
    role: "viewer",
    body: bodies.checkSignatureForm,
    bodyBytesMax: bodies.EVENT_FORM_BYTES_MAX,
    answer: of<verification.CheckSignatureAnswer>(),
  },

  /** For the developer of a receiver: a webhook that is asked, wants every type, and goes by itself after a day. */
  "POST /trial-webhooks": { role: "owner", answer: of<TrialWebhook>() },

  "GET /audit": { role: "viewer", query: queries.auditQuery, answer: of<AuditAnswer>() },
  "GET /failure-mail": { role: "viewer", answer: of<failureMail.FailureMailAnswer>() },
  "POST /failure-mail": { role: "owner", body: bodies.addressForm, answer: of<failureMail.FailureMailAnswer>() },
  "DELETE /failure-mail/:id": { role: "owner", answer: of<failureMail.FailureMailAnswer>() },
  /** Sends the confirmation e-mail again. */
  "POST /failure-mail/:id/email": { role: "owner", answer: of<failureMail.FailureMailAnswer>() },

  "GET /news-channels": { role: "viewer", answer: of<NewsChannelsAnswer>() },
  "POST /news-channels": { role: "owner", body: bodies.channelForm, answer: of<NewsChannelsAnswer>() },
  "DELETE /news-channels/:id": { role: "owner", answer: of<NewsChannelsAnswer>() },
  "POST /news-channels/:id/test": { role: "owner", answer: of<NewsChannelTest>() },

  "GET /read-keys": { role: "owner", answer: of<ReadKeysAnswer>() },
  "POST /read-keys": { role: "owner", body: bodies.programKeyForm, answer: of<ReadKeyMade>() },
  "DELETE /read-keys/:id": { role: "owner", answer: of<ReadKeysAnswer>() },

  /** Open to everybody on our own page: the token names the reader. To look at a link changes nothing. */
  "POST /mail-link": { body: bodies.mailLinkForm, answer: of<failureMail.MailLinkAnswer>() },
  "POST /mail-link/use": { body: bodies.useMailLinkForm, answer: of<failureMail.MailLinkAnswer>() },

  /** Browsers in which somebody is signed in to this account. */
  "GET /signed-in": { role: "owner", query: queries.pageQuery, answer: of<SignedInAnswer>() },
  /** Signs out one of them. It may be the one that asks. */
  "DELETE /signed-in/:id": { role: "owner", answer: NOTHING },
  /** Signs out all of them but the one that asks. */
  "DELETE /signed-in": { role: "owner", answer: NOTHING },

  "GET /playground/types": { role: "viewer", answer: of<catalog.PlaygroundTypes>() },
  "GET /playground/samples/:type": { role: "viewer", answer: of<catalog.PlaygroundSample>() },
  "POST /playground": {
    role: "owner",
    body: bodies.playgroundForm,
    bodyBytesMax: bodies.EVENT_FORM_BYTES_MAX,
    answer: of<catalog.PlaygroundAnswer>(),
  },
} satisfies Readonly<Record<string, RouteRow>>;

export type RouteName = keyof typeof ROUTES;

/** The parts of a call that its row has, as a handler gets them and the page gives them; and the answer. */
export type Routes = { readonly [Name in RouteName]: Parts<Name, (typeof ROUTES)[Name]> };

type Parts<Name extends string, Row> = (ParamName<Name> extends never
  ? unknown
  : { readonly params: { readonly [Key in ParamName<Name>]: string } }) &
  (Row extends { query: infer Schema extends TSchema } ? { readonly query: FormOf<Schema> } : unknown) &
  (Row extends { body: infer Schema extends TSchema } ? { readonly body: FormOf<Schema> } : unknown) &
  (Row extends { ifMatch: true } ? { readonly ifMatch: number } : unknown) &
  (Row extends { answer: infer Answer } ? { readonly answer: Answer } : never);

/** Those with a colon in the address. */
type ParamName<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamName<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;
