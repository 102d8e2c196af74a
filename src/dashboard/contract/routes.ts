/**
 * Every call that the page makes, below `dashboard/` of the service's address. Private to the page: nothing here is an
 * interface for managing webhooks (specification §4), and it may change with any version.
 *
 * All but sign-in and the links of e-mails need the session's cookie. Those that change something need
 * `x-bellwire-csrf` too, a JSON body where `BODIES` has one, and `If-Match: "<revision>"` where `ifMatch` is. Refusals
 * are problem documents (RFC 9457).
 */
import type { BODIES, BodyOf } from "../forms/bodies.ts";
import type { QUERIES, QueryOf } from "../forms/queries.ts";
import type * as alerts from "./alerts.ts";
import type * as catalog from "./catalog.ts";
import type * as conditions from "./conditions.ts";
import type * as deliveries from "./deliveries.ts";
import type * as destinations from "./destinations.ts";
import type * as failureMail from "./failure-mail.ts";
import type { AccountIncidentList, IncidentFiguresAnswer, IncidentList } from "./incidents.ts";
import type { ForwardCode } from "./forward.ts";
import type { NewsChannelsAnswer, NewsChannelTest } from "./news-channels.ts";
import type { AuditAnswer, SessionAnswer, SignedInAnswer } from "./session.ts";
import type { StatisticsAnswer } from "./statistics.ts";
import type { WebhookDetail, WebhookList } from "./webhooks.ts";
import type * as verification from "./verification.ts";

interface Id {
  readonly id: string;
}

interface TypeName {
  readonly type: string;
}

/** `Nothing` is an answer without a body (204). */
export type Nothing = null;

interface Listed {
  "POST /sign-in": { answer: SessionAnswer };
  "GET /session": { answer: SessionAnswer };
  "POST /sign-out": { answer: Nothing };

  "GET /alerts": { answer: alerts.AlertList };
  "GET /alerts/suggestions": { answer: alerts.AlertSuggestions };
  "GET /alerts/fields": { answer: conditions.ConditionFields };
  /** Tries what the form has, saved or not. Changes nothing; viewers may too. */
  "POST /alerts/preview": { answer: conditions.ConditionsPreview };
  "GET /alerts/:id": { params: Id; answer: alerts.AlertDetail };
  "POST /alerts": { answer: alerts.SavedAnswer };
  "PUT /alerts/:id": { params: Id; ifMatch: number; answer: alerts.SavedAnswer };
  "DELETE /alerts/:id": { params: Id; ifMatch: number; answer: Nothing };
  "GET /alerts/sample": { answer: alerts.SampleBody };
  /** `id` is `new` for an alert that was never saved. */
  "POST /alerts/:id/test": { params: Id; answer: alerts.TestAnswer };

  "GET /webhooks": { answer: WebhookList };
  "GET /webhooks/:id": { params: Id; answer: WebhookDetail };
  "POST /webhooks": { answer: alerts.SavedAnswer };
  "PUT /webhooks/:id": { params: Id; ifMatch: number; answer: alerts.SavedAnswer };
  "DELETE /webhooks/:id": { params: Id; ifMatch: number; answer: Nothing };
  /** `id` is `new` for a webhook that was never saved. */
  "POST /webhooks/:id/test": { params: Id; answer: alerts.TestAnswer };

  "GET /assistants": { answer: alerts.AssistantList };
  "GET /assistants/:id": { params: Id; answer: alerts.AssistantDetail };
  /** `null` removes the webhook; what waits for it is cancelled. */
  "PUT /assistants/:id/webhook": { params: Id; ifMatch: number; answer: alerts.SavedAnswer };
  "GET /assistants/:id/fields": { params: Id; answer: conditions.ConditionFields };
  "POST /assistants/:id/preview": { params: Id; answer: conditions.ConditionsPreview };
  "GET /assistants/:id/sample": { params: Id; answer: alerts.SampleBody };
  "POST /assistants/:id/test": { params: Id; answer: alerts.TestAnswer };
  "GET /assistants/:id/conversations": { params: Id; answer: deliveries.EventList };

  "GET /destinations": { answer: destinations.DestinationList };
  "GET /destinations/:id": { params: Id; answer: destinations.DestinationDetail };
  "GET /destinations/:id/incidents": { params: Id; answer: IncidentList };
  "GET /destinations/:id/incident-figures": { params: Id; answer: IncidentFiguresAnswer };
  "GET /incidents": { answer: AccountIncidentList };
  "PUT /destinations/:id/state": { params: Id; answer: Nothing };
  /** Makes the destination's waiting deliveries go out now. The answer shows the destination as it was before. */
  "POST /destinations/:id/send-waiting": { params: Id; answer: destinations.DestinationView };
  /** The same for many; each by itself. */
  "POST /destinations/send-waiting": { answer: destinations.SendWaitingAnswer };
  /** With the settings that are saved. */
  "POST /destinations/:id/test": { params: Id; answer: alerts.TestAnswer };

  /** The facts of a pasted client certificate; nothing is kept. */
  "POST /client-certificate": { answer: destinations.CertificateFacts };

  "GET /statistics": { answer: StatisticsAnswer };

  "GET /deliveries": { answer: deliveries.DeliveryList };
  "GET /deliveries/matching": { answer: deliveries.MatchingDeliveries };
  "GET /deliveries/total": { answer: deliveries.DeliveryTotal };
  "GET /deliveries/:id": { params: Id; answer: deliveries.DeliveryDetail };
  /** An attempt now: again for one that has ended, early for one that waits. */
  "POST /deliveries/:id/resend": { params: Id; answer: Nothing };
  /** The same for a selection. */
  "POST /deliveries/resend": { answer: deliveries.SelectionAnswer };

  "GET /replays": { answer: deliveries.ReplayList };
  "POST /replays": { answer: deliveries.ReplayView };
  "GET /replays/:id": { params: Id; answer: deliveries.ReplayView };
  "PUT /replays/:id/state": { params: Id; answer: deliveries.ReplayView };

  /** Of all types, or of one. */
  "GET /events": { answer: deliveries.EventList };
  /** By the event's key, to the letter. */
  "GET /events/:type/:id": { params: TypeName & Id; answer: deliveries.DeclaredEventDetail };

  "GET /sessions": { answer: deliveries.EventList };
  /** By the session's own id, in either case. */
  "GET /sessions/:id": { params: Id; answer: deliveries.EventDetail };
  "GET /conversations/:id": { params: Id; answer: deliveries.EventDetail };

  "GET /refused-records": { answer: catalog.RefusedRecordList };

  "GET /event-types/:type": { params: TypeName; answer: catalog.EventTypeView };
  /** For conditions on events of one type: what can be chosen, and how many they would have let through. */
  "GET /event-types/:type/fields": { params: TypeName; answer: conditions.ConditionFields };
  "POST /event-types/:type/preview": { params: TypeName; answer: conditions.ConditionsPreview };

  "GET /verification": { answer: verification.VerificationAnswer };
  "POST /verification/reveal": { answer: verification.RevealAnswer };
  "POST /verification/rotate": { answer: verification.VerificationAnswer };
  "POST /verification/end-rotation": { answer: verification.VerificationAnswer };
  "POST /verification/signing-key": { answer: verification.VerificationAnswer };
  /** Changes nothing; viewers may too. */
  "POST /verification/check": { answer: verification.CheckSignatureAnswer };

  /** A one-time code for `bellwire forward`. */
  "POST /forward-codes": { answer: ForwardCode };

  "GET /audit": { answer: AuditAnswer };
  "GET /failure-mail": { answer: failureMail.FailureMailAnswer };
  "POST /failure-mail": { answer: failureMail.FailureMailAnswer };
  "DELETE /failure-mail/:id": { params: Id; answer: failureMail.FailureMailAnswer };
  /** Sends the confirmation e-mail again. */
  "POST /failure-mail/:id/email": { params: Id; answer: failureMail.FailureMailAnswer };

  "GET /news-channels": { answer: NewsChannelsAnswer };
  "POST /news-channels": { answer: NewsChannelsAnswer };
  "DELETE /news-channels/:id": { params: Id; answer: NewsChannelsAnswer };
  "POST /news-channels/:id/test": { params: Id; answer: NewsChannelTest };

  /** Open to everybody on our own page: the token names the reader. To look at a link changes nothing. */
  "POST /mail-link": { answer: failureMail.MailLinkAnswer };
  "POST /mail-link/use": { answer: failureMail.MailLinkAnswer };

  /** Browsers in which somebody is signed in to this account. */
  "GET /signed-in": { answer: SignedInAnswer };
  /** Signs out one of them. It may be the one that asks. */
  "DELETE /signed-in/:id": { params: Id; answer: Nothing };
  /** Signs out all of them but the one that asks. */
  "DELETE /signed-in": { answer: Nothing };

  "GET /playground/types": { answer: catalog.PlaygroundTypes };
  "GET /playground/samples/:type": { params: TypeName; answer: catalog.PlaygroundSample };
  "POST /playground": { answer: catalog.PlaygroundAnswer };
}

/** Each with its body and its query, as their schemas have them. */
export type Routes = {
  readonly [Name in keyof Listed]: Listed[Name] &
    (Name extends keyof typeof BODIES ? { readonly body: BodyOf<Name> } : unknown) &
    (Name extends keyof typeof QUERIES ? { readonly query: QueryOf<Name> } : unknown);
};

export type RouteName = keyof Routes;
