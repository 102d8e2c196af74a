/**
 * Providers, and the gate: nothing but the sign-in page is shown without a session. When a session ends while somebody
 * works, the page stays with what was typed, and says how to go on (shell/session-banner.tsx).
 */
import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, Suspense, useEffect, useState } from "react";
import { Route, Router, Switch } from "wouter";
import { isSignedOut } from "./api.ts";
import { BRAND_NAME } from "./brand.ts";
import { useTellSignedOut } from "./embed.ts";
import { HIDING_WORDS } from "./hidden-words.ts";
import { loadAhead, onDemand } from "./later.ts";
import { startLive } from "./live.ts";
import { knowEventTypes } from "./parts/event-words.ts";
import { makeQueryClient, SessionContext, toWho, useAnswer } from "./query.ts";
import { Pages } from "./routes.tsx";
import { PageBoundary } from "./shell/page-boundary.tsx";
import { Shell } from "./shell/shell.tsx";
import { Announcer } from "./ui/announcer.tsx";
import { ErrorState } from "./ui/error-state.tsx";

const SignInPage = onDemand(() => import("./pages/sign-in.tsx"), "SignInPage");
const MailLinkPage = onDemand(() => import("./pages/mail-link.tsx"), "MailLinkPage");

/** Toasts are fetched after the page's own code, because the first second does not need them. */
const ToastHost = onDemand(() => import("./ui/toast-host.tsx"), "ToastHost");

/** The service may be served below a path of its host; index.html's `<base href>` says which. */
const BASE = new URL(document.baseURI).pathname.replace(/\/$/, "");

export function App() {
  const [client] = useState(makeQueryClient);
  return (
    <QueryClientProvider client={client}>
      <Router base={BASE} {...HIDING_WORDS}>
        <PageBoundary>
          <Suspense>
            <Switch>
              <Route path="/sign-in/:token?">
                <SignInPage />
              </Route>
              <Route path="/mail/:token">
                <MailLinkPage />
              </Route>
              <Route>
                <Gate client={client} />
              </Route>
            </Switch>
          </Suspense>
        </PageBoundary>
      </Router>
      <Announcer />
      <Suspense>
        <ToastHost />
      </Suspense>
    </QueryClientProvider>
  );
}

function Gate({ client }: { readonly client: QueryClient }) {
  const session = useAnswer("GET /session");
  useTellSignedOut(isSignedOut(session.error));
  if (session.data !== undefined) {
    knowEventTypes(session.data.eventTypes);
    return (
      <SessionContext value={session.data}>
        <Connected client={client}>
          {/* Somebody else's page starts afresh. */}
          <Shell key={toWho(session.data)} isSignedOut={isSignedOut(session.error)}>
            <Pages />
          </Shell>
        </Connected>
      </SessionContext>
    );
  }
  if (session.error === null) return null;
  if (isSignedOut(session.error)) return <SignInPage />;
  return (
    <main className="mx-auto max-w-xl p-6 pt-16">
      <h1 className="sr-only">{BRAND_NAME}</h1>
      <ErrorState what="the dashboard" error={session.error} onRetry={session.refetch} />
    </main>
  );
}

/** The live stream runs while somebody is signed in, and the other pages are loaded ahead. */
function Connected({ client, children }: { readonly client: QueryClient; readonly children: ReactNode }) {
  useEffect(() => startLive(client), [client]);
  useEffect(() => loadAhead(client), [client]);
  return <>{children}</>;
}
