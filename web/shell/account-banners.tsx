/**
 * Banners of the whole account, above every page: a session that has ended, an installation that is held, an account
 * that is suspended, and client certificates that end, each with the way out of it.
 */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useLocation } from "wouter";
import { isAbout, ownerForm } from "../../src/domain/event.ts";
import { EMBEDDED_PAGE, FRAME_ADVICE } from "../embed.ts";
import { useMarks } from "../parts/tell-apart.ts";
import { refresh, useAnswer, useSession } from "../query.ts";
import { Banner } from "../ui/banner.tsx";
import { TextLink } from "../ui/links.tsx";
import { useNow } from "../ui/relative-time.tsx";
import { count, date } from "../words.ts";

export function AccountBanners({ isSignedOut }: { readonly isSignedOut: boolean }) {
  const { data } = useAnswer("GET /destinations");
  const marks = useMarks();
  const [path] = useLocation();
  // The page of the one it is about says it too.
  const elsewhere = (data?.destinations ?? []).filter(({ owner }) => !isAbout(path, owner));
  const endings = elsewhere.flatMap(({ id, owner, certificateEndsAtMs: endsAtMs }) =>
    endsAtMs === undefined ? [] : [{ id, name: nameOf(owner.name, marks.get(id)), href: ownerForm(owner), endsAtMs }],
  );
  const { isHeld, isSuspended } = useSession();
  if (!isSignedOut && !isHeld && !isSuspended && endings.length === 0) return null;
  return (
    <div className="mb-5 space-y-3">
      {isSignedOut && (
        <Banner tone="warn" role="alert" title="You are signed out">
          {EMBEDDED_PAGE === null
            ? "Open a new sign-in link in another tab, then come back: what you typed here stays."
            : FRAME_ADVICE}
        </Banner>
      )}
      {isHeld && <HeldBanner />}
      {isSuspended && (
        <Banner tone="warn" title="This account is suspended">
          Nothing is taken or sent for it, and nothing can be changed. What waits goes out when it goes on.
        </Banner>
      )}
      <CertificateBanner endings={endings} />
    </div>
  );
}

/** No news comes from a command, so the page asks: all nodes go on within two seconds of it. */
const ASKED_EVERY_MS = 2_000;

function HeldBanner() {
  const client = useQueryClient();
  useEffect(() => {
    const timer = window.setInterval(() => void refresh(client, ["GET /session"]), ASKED_EVERY_MS);
    return () => window.clearInterval(timer);
  }, [client]);
  return <Banner tone="warn" title="Held: nothing is accepted or sent until the operator runs bellwire adopt" />;
}

const nameOf = (name: string, mark: string | undefined): string => (mark === undefined ? name : `${name} (${mark})`);

/* Client certificates that end soon or have ended: whose, when, and the way to replace them. */

interface Ending {
  readonly id: string;
  readonly name: string;
  readonly href: string;
  readonly endsAtMs: number;
}

function CertificateBanner({ endings }: { readonly endings: readonly Ending[] }) {
  const nowMs = useNow();
  const [first] = endings.toSorted((one, other) => one.endsAtMs - other.endsAtMs);
  if (first === undefined) return null;
  const hasEnded = first.endsAtMs <= nowMs;
  const others = endings.length > 1 ? ` So do ${count(endings.length - 1, "other certificate")}.` : "";
  return (
    <Banner
      tone={hasEnded ? "bad" : "warn"}
      title={`The client certificate of ${first.name} ${hasEnded ? "ended" : "ends"} on ${date(first.endsAtMs)}`}
    >
      Its server will refuse webhooks without a valid one.{others}{" "}
      <TextLink href={first.href}>Replace the certificate</TextLink>
    </Banner>
  );
}
