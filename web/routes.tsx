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

const PAGES = [
  ["/", later(() => import("./pages/overview.tsx"), "OverviewPage")],
  ["/audience/sessions", later(() => import("./pages/sessions.tsx"), "SessionsPage")],
  ["/audience/sessions/:id", later(() => import("./pages/session-detail.tsx"), "SessionDetailPage")],
  ["/audience/events", later(() => import("./pages/all-events.tsx"), "AllEventsPage")],
  ["/audience/events/:type/:id", later(() => import("./pages/event-detail.tsx"), "EventDetailPage")],
  ["/people", later(() => import("./pages/people.tsx"), "PeoplePage")],
  ["/assistants", later(() => import("./pages/assistants.tsx"), "AssistantsPage")],
  // The tab is in the address: conversations (also without a name) or integrations.
  ["/assistants/:id/:tab?", later(() => import("./pages/assistant-detail.tsx"), "AssistantDetailPage")],
  [
    "/assistants/:id/conversations/:conversationId",
    later(() => import("./pages/conversation-detail.tsx"), "ConversationDetailPage"),
  ],
  // One page for list and detail: the list stays as it is when a delivery opens beside it.
  ["/deliveries/:id?", later(() => import("./pages/deliveries.tsx"), "DeliveriesPage")],
  ["/destinations", later(() => import("./pages/destinations.tsx"), "DestinationsPage")],
  ["/replays/:id", later(() => import("./pages/replay-detail.tsx"), "ReplayDetailPage")],
  ["/incidents", later(() => import("./pages/incidents.tsx"), "IncidentsPage")],
  ["/events/:type?", later(() => import("./pages/events.tsx"), "EventsPage")],
  ["/refused-records", later(() => import("./pages/refused-records.tsx"), "RefusedRecordsPage")],
  ["/settings/alerts", later(() => import("./pages/alerts.tsx"), "AlertsPage")],
  // One address for both: a new one that is saved keeps its form as it is.
  [/^\/settings\/alerts\/(?:new|(?<id>[^/]+)\/edit)$/, later(() => import("./pages/alert-form.tsx"), "AlertFormPage")],
  ["/settings/alerts/:id", later(() => import("./pages/alert.tsx"), "AlertPage")],
  ["/settings/webhooks", later(() => import("./pages/webhooks.tsx"), "WebhooksPage")],
  [
    /^\/settings\/webhooks\/(?:new|(?<id>[^/]+)\/edit)$/,
    later(() => import("./pages/webhook-form.tsx"), "WebhookFormPage"),
  ],
  ["/settings/webhooks/:id", later(() => import("./pages/webhook.tsx"), "WebhookPage")],
  ["/settings/verification", later(() => import("./pages/verification.tsx"), "VerificationPage")],
  ["/settings/activity", later(() => import("./pages/activity.tsx"), "ActivityPage")],
  ["/settings/account", later(() => import("./pages/account.tsx"), "AccountPage")],
  ["/playground", later(() => import("./pages/playground.tsx"), "PlaygroundPage")],
] as const;

const NotFoundPage = later(() => import("./pages/not-found.tsx"), "NotFoundPage");

export function Pages() {
  const [place] = useLocation();
  return (
    <PageBoundary place={place}>
      <Suspense fallback={<PageSkeleton />}>
        <Switch>
          {PAGES.map(([path, component]) => (
            <Route key={String(path)} path={path} component={component} />
          ))}
          <Route component={NotFoundPage} />
        </Switch>
      </Suspense>
    </PageBoundary>
  );
}
