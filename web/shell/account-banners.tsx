/**
 * Banners of the whole account, above every page: a session that has ended, and client certificates that end, each with
 * the way to it.
 */
import { useLocation } from "wouter";
import { useAnswer } from "../query.ts";
import { Banner } from "../ui/banner.tsx";
import { CertificateBanner } from "./certificate-banner.tsx";
import { toHref } from "./troubles.tsx";

export function AccountBanners({ isSignedOut }: { readonly isSignedOut: boolean }) {
  const { data } = useAnswer("GET /destinations");
  const [path] = useLocation();
  // The page of the one it is about says it too.
  const elsewhere = (data?.destinations ?? []).filter(({ owner }) => toHref(owner) !== path);
  const endings = elsewhere.flatMap(({ id, owner, certificateEndsAtMs: endsAtMs }) =>
    endsAtMs === undefined ? [] : [{ id, name: owner.name, href: toHref(owner), endsAtMs }],
  );
  if (!isSignedOut && endings.length === 0) return null;
  return (
    <div className="mb-5 space-y-3">
      {isSignedOut && (
        <Banner tone="warn" role="alert" title="You are signed out">
          Open a new sign-in link in another tab, then come back: what you typed here stays.
        </Banner>
      )}
      <CertificateBanner endings={endings} />
    </div>
  );
}
