/**
 * The page behind a one-time link, and the page for people who are not signed in. The page spends the link, not its
 * address: programs that open links in a message to look at them would use it up before the reader gets there.
 */
import { useQueryClient } from "@tanstack/react-query";
import { KeyRound, LoaderCircle } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { useLocation, useParams } from "wouter";
import { ApiProblem } from "../api-problem.ts";
import { useChange } from "../query.ts";
import { Brand } from "../shell/brand.tsx";
import { Banner } from "../ui/banner.tsx";
import { Button } from "../ui/button.tsx";

export function SignInPage() {
  const { token } = useParams<{ token?: string }>();
  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col justify-center px-5 py-10">
      <title>Sign in · Bellwire</title>
      <div className="mb-6 self-center">
        <Brand />
      </div>
      <div className="rounded-xl border border-line bg-surface px-6 py-6 shadow-card">
        {token === undefined ? <SignedOut /> : <SpendLink token={token} />}
      </div>
    </main>
  );
}

function SignedOut() {
  return (
    <>
      <Title>Sign in with a link</Title>
      <p className="mt-1 text-ink-soft">
        Bellwire has no passwords. Open the dashboard from your product, or ask the operator of this service for a link.
        Each link works once, for five minutes.
      </p>
      <p className="mt-4 text-sm text-ink-soft">If you run this service, this command prints one:</p>
      <pre className="mt-1.5 overflow-x-auto rounded-md border border-line bg-sunken px-3 py-2 text-sm">
        <code>npx bellwire dashboard-link</code>
      </pre>
    </>
  );
}

function SpendLink({ token }: { readonly token: string }) {
  const { problem, isPending, spend } = useSpending(token);
  if (problem === null) {
    return (
      <p role="status" className="flex items-center justify-center gap-2.5 py-4 text-ink-soft">
        <LoaderCircle aria-hidden="true" className="size-4 animate-spin" />
        Signing you in
      </p>
    );
  }
  const isSpent = isAboutTheLink(problem);
  return (
    <>
      <Title>{isSpent ? titleOf(problem) : "You are not signed in yet"}</Title>
      <Banner tone="warn" role="alert" className="mt-3" title={problem.message} />
      {!isSpent && (
        <Button tone="primary" className="mt-4" isBusy={isPending} onClick={spend}>
          Try again
        </Button>
      )}
    </>
  );
}

/** One that was cut when it was copied has never worked. */
const titleOf = (problem: Error): string =>
  problem instanceof ApiProblem && problem.code === "link_unknown"
    ? "This link is not known here"
    : "This link does not work any more";

/** A service that is down or a proxy before it says nothing about the link, which may be as good as before. */
const isAboutTheLink = (problem: Error): boolean =>
  problem instanceof ApiProblem && problem.status < 500 && problem.code !== "unreadable_answer";

/** Once, also in development, where effects run twice: the second call would find the link used. */
function useSpending(token: string) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const { mutate, error, isPending } = useChange("POST /sign-in");
  const isSpent = useRef(false);
  const spend = (): void =>
    mutate(
      { body: { token } },
      {
        onSuccess: (session) => {
          // Every answer so far belongs to the person who was signed in before.
          client.clear();
          client.setQueryData(["GET /session", undefined], session);
          navigate("/", { replace: true });
        },
      },
    );
  useEffect(() => {
    if (isSpent.current) return;
    isSpent.current = true;
    spend();
    // The link is spent when the page opens, and by nothing that happens later.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  return { problem: error, isPending, spend };
}

function Title({ children }: { readonly children: ReactNode }) {
  return (
    <div className="flex items-center gap-2.5">
      <KeyRound aria-hidden="true" className="size-5 text-accent" />
      <h1 className="text-lg font-semibold">{children}</h1>
    </div>
  );
}
