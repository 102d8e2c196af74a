/**
 * Every page with its address, each in a chunk of its own. A page is `pages/<name>.tsx` and exports one component,
 * `<Name>Page`, that starts with `<Page title=…>` (ui/page.tsx). It reads its parameters with `useParams`, filters and
 * cursors with `useSearchParams`, both from wouter.
 */
import { Suspense } from "react";
import { Route, Switch, useLocation } from "wouter";
import { later } from "./later.ts";
import { PageBoundary } from "./shell/page-boundary.tsx";
import { PageSkeleton } from "./ui/skeleton.tsx";

const OverviewPage = later(() => import("./pages/overview.tsx"), "OverviewPage");
const SessionsPage = later(() => import("./pages/sessions.tsx"), "SessionsPage");
const SessionDetailPage = later(() => import("./pages/session-detail.tsx"), "SessionDetailPage");
const AllEventsPage = later(() => import("./pages/all-events.tsx"), "AllEventsPage");
const EventDetailPage = later(() => import("./pages/event-detail.tsx"), "EventDetailPage");
const AssistantsPage = later(() => import("./pages/assistants.tsx"), "AssistantsPage");
const AssistantDetailPage = later(() => import("./pages/assistant-detail.tsx"), "AssistantDetailPage");
const ConversationDetailPage = later(() => import("./pages/conversation-detail.tsx"), "ConversationDetailPage");
const DeliveriesPage = later(() => import("./pages/deliveries.tsx"), "DeliveriesPage");
const DestinationsPage = later(() => import("./pages/destinations.tsx"), "DestinationsPage");
const ReplayDetailPage = later(() => import("./pages/replay-detail.tsx"), "ReplayDetailPage");
const IncidentsPage = later(() => import("./pages/incidents.tsx"), "IncidentsPage");
const EventsPage = later(() => import("./pages/events.tsx"), "EventsPage");
const RefusedRecordsPage = later(() => import("./pages/refused-records.tsx"), "RefusedRecordsPage");
const AlertsPage = later(() => import("./pages/alerts.tsx"), "AlertsPage");
const AlertFormPage = later(() => import("./pages/alert-form.tsx"), "AlertFormPage");
const WebhooksPage = later(() => import("./pages/webhooks.tsx"), "WebhooksPage");
const WebhookFormPage = later(() => import("./pages/webhook-form.tsx"), "WebhookFormPage");
const VerificationPage = later(() => import("./pages/verification.tsx"), "VerificationPage");
const AccountPage = later(() => import("./pages/account.tsx"), "AccountPage");
const PlaygroundPage = later(() => import("./pages/playground.tsx"), "PlaygroundPage");
const NotFoundPage = later(() => import("./pages/not-found.tsx"), "NotFoundPage");

export function Pages() {
  const [path] = useLocation();
  return (
    <PageBoundary place={path}>
      <Suspense fallback={<PageSkeleton />}>
        <Switch>
          <Route path="/" component={OverviewPage} />
          <Route path="/audience/sessions" component={SessionsPage} />
          <Route path="/audience/sessions/:id" component={SessionDetailPage} />
          <Route path="/audience/events" component={AllEventsPage} />
          <Route path="/audience/events/:type/:id" component={EventDetailPage} />
          <Route path="/assistants" component={AssistantsPage} />
          {/* The tab is in the address: conversations (also without a name) or integrations. */}
          <Route path="/assistants/:id/:tab?" component={AssistantDetailPage} />
          <Route path="/assistants/:id/conversations/:conversationId" component={ConversationDetailPage} />
          {/* One page for list and detail: the list stays as it is when a delivery opens beside it. */}
          <Route path="/deliveries/:id?" component={DeliveriesPage} />
          <Route path="/destinations" component={DestinationsPage} />
          <Route path="/replays/:id" component={ReplayDetailPage} />
          <Route path="/incidents" component={IncidentsPage} />
          <Route path="/events/:type?" component={EventsPage} />
          <Route path="/refused-records" component={RefusedRecordsPage} />
          <Route path="/settings/alerts" component={AlertsPage} />
          {/* `new`, or an alert's id. */}
          <Route path="/settings/alerts/:id" component={AlertFormPage} />
          <Route path="/settings/webhooks" component={WebhooksPage} />
          <Route path="/settings/webhooks/:id" component={WebhookFormPage} />
          <Route path="/settings/verification" component={VerificationPage} />
          <Route path="/settings/account" component={AccountPage} />
          <Route path="/playground" component={PlaygroundPage} />
          <Route component={NotFoundPage} />
        </Switch>
      </Suspense>
    </PageBoundary>
  );
}
