/**
 * The page behind a one-time link, and the page for people who are not signed in. Its button spends the link, and to
 * open the page does not: programs that look at the links of messages open them too, and some of them run scripts.
 */
import clsx from "clsx";
import { useQueryClient } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { useLocation, useParams } from "wouter";
import { ApiProblem } from "../api.ts";
import { BRAND_NAME } from "../brand.ts";
import { EMBEDDED_PAGE, FRAME_ADVICE, IS_FRAMED, useTellSignedOut } from "../embed.ts";
import { findTypedAddress } from "../parts/editor/kept-typed.ts";
import { useChange } from "../query.ts";
import { Brand } from "../shell/navigation.tsx";
import { Banner } from "../ui/banner.tsx";
import { Button } from "../ui/button.tsx";

export function SignInPage() {
  const { token } = useParams<{ token?: string }>();
  return (
    <main
      className={clsx(
        EMBEDDED_PAGE === null && "min-h-dvh",
        "mx-auto flex max-w-md flex-col justify-center px-5 py-10",
      )}
    >
      <title>{`Sign in · ${BRAND_NAME}`}</title>
      {EMBEDDED_PAGE === null && (
        <div className="mb-6 self-center">
          <Brand />
        </div>
      )}
      <div className="rounded-xl border border-line bg-surface px-6 py-6 shadow-card">
        {token === undefined ? <SignedOut /> : <SpendLink token={token} />}
      </div>
    </main>
  );
}

function SignedOut() {
  if (EMBEDDED_PAGE !== null) {
    return (
      <>
        <Title>You are signed out</Title>
        <p className="mt-1 text-ink-soft">{FRAME_ADVICE}</p>
      </>
    );
  }
  return (
    <>
      <Title>Sign in with a link</Title>
      <p className="mt-1 text-ink-soft">
        {BRAND_NAME} has no passwords. Open the dashboard from your product, or ask the operator of this service for a
        link. Each link works once, for five minutes.
      </p>
      <p className="mt-4 text-sm text-ink-soft">If you run this service, this command prints one in its folder:</p>
      <pre className="mt-1.5 overflow-x-auto rounded-md border border-line bg-sunken px-3 py-2 text-sm">
        <code>npx --no bellwire dashboard-link</code>
      </pre>
    </>
  );
}

function SpendLink({ token }: { readonly token: string }) {
  const { problem, isPending, spend } = useSpending(token);
  const isSpent = problem !== null && isAboutTheLink(problem);
  useTellSignedOut(isSpent);
  useSpendInFrame(spend);
  return (
    <>
      <Title>
        {problem === null ? `Sign in to ${BRAND_NAME}` : isSpent ? titleOf(problem) : "You are not signed in yet"}
      </Title>
      {problem === null ? (
        <p className="mt-1 text-ink-soft">This link signs you in once.</p>
      ) : (
        <Banner tone="warn" role="alert" className="mt-3" title={problem.message} />
      )}
      {isSpent && EMBEDDED_PAGE !== null && <p className="mt-3 text-ink-soft">{FRAME_ADVICE}</p>}
      {!isSpent && (
        <Button tone="primary" className="mt-4" isBusy={isPending} onClick={spend}>
          {problem === null ? "Sign in" : "Try again"}
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

function useSpending(token: string) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const { mutate, error, isPending } = useChange("POST /sign-in");
  const spend = (): void =>
    mutate(
      { body: { token, isFramed: IS_FRAMED } },
      {
        onSuccess: (session) => {
          // Every answer so far belongs to the person who was signed in before.
          client.clear();
          client.setQueryData(["GET /session", undefined], session);
          navigate(findTypedAddress(session) ?? EMBEDDED_PAGE ?? firstPage(), { replace: true });
        },
      },
    );
  return { problem: error, isPending, spend };
}

/** A support desk that makes its agents' sign-in links may put a person behind `#` there, as on the person's page. */
const firstPage = (): string => (location.hash.startsWith("#email=") ? `/people${location.hash}` : "/");

/** The page around it has asked for exactly this, and waits: nobody presses a button there. */
function useSpendInFrame(spend: () => void): void {
  const hasSpent = useRef(false);
  useEffect(() => {
    if (!IS_FRAMED || hasSpent.current) return;
    hasSpent.current = true;
    spend();
  });
}

function Title({ children }: { readonly children: ReactNode }) {
  return (
    <div className="flex items-center gap-2.5">
      <KeyRound aria-hidden="true" className="size-5 text-accent" />
      <h1 className="text-lg font-semibold">{children}</h1>
    </div>
  );
}
