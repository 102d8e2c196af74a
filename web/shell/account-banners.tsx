/**
 * Banners of the whole account, above every page: a session that has ended, destinations that fail or were turned
 * off, and client certificates that end, each with the way to it.
 */
import type { DestinationOwner, DestinationView } from "../../src/dashboard/contract/destinations.ts";
import { useLocation } from "wouter";
import { useAnswer } from "../query.ts";
import { Banner } from "../ui/banner.tsx";
import { TextLink } from "../ui/text-link.tsx";
import { count } from "../words.ts";
import { CertificateBanner } from "./certificate-banner.tsx";

export function AccountBanners({ isSignedOut }: { readonly isSignedOut: boolean }) {
  const { data } = useAnswer("GET /destinations");
  const [path] = useLocation();
  // The overview has a banner for each of them, with what to do, and so has the page of the one it is about.
  const elsewhere = (data?.destinations ?? []).filter(({ owner }) => toHref(owner) !== path);
  const troubled = path === "/" ? [] : elsewhere.filter(isTroubled);
  const endings = elsewhere.flatMap(({ id, owner, certificateEndsAtMs: endsAtMs }) =>
    endsAtMs === undefined ? [] : [{ id, name: owner.name, href: toHref(owner), endsAtMs }],
  );
  if (!isSignedOut && troubled.length === 0 && endings.length === 0) return null;
  return (
    <div className="mb-5 space-y-3">
      {isSignedOut && (
        <Banner tone="warn" role="alert" title="You are signed out">
          Open a new sign-in link in another tab, then come back: what you typed here stays.
        </Banner>
      )}
      {troubled.length > 0 && <Troubles troubled={troubled} />}
      <CertificateBanner endings={endings} />
    </div>
  );
}

function Troubles({ troubled }: { readonly troubled: readonly DestinationView[] }) {
  const [only, second] = troubled;
  if (only === undefined) return null;
  if (second !== undefined) {
    return (
      <Banner tone="bad" title={`${count(troubled.length, "destination")} need attention`}>
        {troubled.slice(0, NAMED_MAX).map(({ id, owner }, index) => (
          <span key={id}>
            {index > 0 && ", "}
            <TextLink href={toHref(owner)}>{owner.name}</TextLink>
          </span>
        ))}
        {troubled.length > NAMED_MAX && ` and ${troubled.length - NAMED_MAX} more`}
      </Banner>
    );
  }
  const isOff = only.state === "off";
  return (
    <Banner tone="bad" title={`${only.owner.name} ${isOff ? "is turned off" : "is failing"}`}>
      {isOff
        ? "Its webhooks wait until it is turned on again. "
        : "Its webhooks are sent again by themselves, for about three days. "}
      <TextLink href={toHref(only.owner)}>See why and what to do</TextLink>
    </Banner>
  );
}

const NAMED_MAX = 5;

const isTroubled = ({ health, owner }: DestinationView): boolean =>
  !owner.isDeleted && (health.word === "failing" || health.word === "off");

function toHref({ kind, id }: DestinationOwner): string {
  return kind === "alert" ? `/settings/alerts/${id}` : `/assistants/${id}/integrations`;
}
