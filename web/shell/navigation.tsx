/** The column beside the page: whose dashboard it is, its pages, and who is signed in. */
import clsx from "clsx";
import {
  Bell,
  Bot,
  Braces,
  Contact,
  FlaskConical,
  Gauge,
  History,
  KeyRound,
  type LucideIcon,
  Send,
  TriangleAlert,
  UserRound,
  Users,
  Webhook,
  Zap,
} from "lucide-react";
import { use, useMemo } from "react";
import { Link, useLocation } from "wouter";
import type { SessionAnswer } from "../../src/dashboard/contract/session.ts";
import { isAt, type PlaceAddress } from "../../src/domain/places.ts";
import { BRAND_LOGO, BRAND_NAME } from "../brand.ts";
import { TABS } from "../embed.ts";
import { SessionContext, useSession } from "../query.ts";
import { Cut } from "../ui/cut.tsx";
import { TAB, TAB_LIST } from "../ui/tab-look.ts";

interface Place {
  readonly href: PlaceAddress;
  readonly label: string;
  readonly icon: LucideIcon;
  /** It is there only where the session has this. */
  readonly needs?: "hasWebhooks" | "hasPlayground";
  /** It is there unless the account does not use this. */
  readonly of?: keyof SessionAnswer["uses"];
}

const WORK: readonly Place[] = [
  { href: "/", label: "Overview", icon: Gauge },
  { href: "/audience/sessions", label: "Sessions", icon: Users, of: "demos" },
  { href: "/audience/events", label: "Events", icon: Zap, needs: "hasWebhooks" },
  { href: "/people", label: "People", icon: Contact },
  { href: "/assistants", label: "Assistants", icon: Bot, of: "chats" },
  { href: "/deliveries", label: "Deliveries", icon: Send },
  { href: "/incidents", label: "Incidents", icon: TriangleAlert },
  { href: "/events", label: "Event catalog", icon: Braces },
  { href: "/playground", label: "Playground", icon: FlaskConical, needs: "hasPlayground" },
];
const SETTINGS: readonly Place[] = [
  { href: "/settings/alerts", label: "Alerts", icon: Bell, of: "demos" },
  { href: "/settings/webhooks", label: "Webhooks", icon: Webhook, needs: "hasWebhooks" },
  { href: "/settings/verification", label: "Verification", icon: KeyRound },
  { href: "/settings/activity", label: "Activity", icon: History },
  { href: "/settings/account", label: "Account", icon: UserRound },
];

/** Those that the session has, in one list. */
export function usePlaces(): readonly Place[] {
  const session = useSession();
  return useMemo(() => [...WORK, ...SETTINGS].filter((place) => isShown(place, session)), [session]);
}

const isShown = ({ needs, of }: Place, session: SessionAnswer | null): boolean =>
  (needs === undefined || session?.[needs] === true) && (of === undefined || session?.uses[of] !== false);

export function Navigation({ onFollow }: { readonly onFollow?: () => void }) {
  // `null` in the picture that index.html shows at first (still.tsx): nobody's session is known there.
  const session = use(SessionContext);
  const shown = (places: readonly Place[]) => places.filter((place) => isShown(place, session));
  return (
    <nav aria-label="Main" className="flex flex-col gap-6 px-3">
      <Places places={shown(WORK)} onFollow={onFollow} />
      <div>
        <h2 id="rail-settings" className="mb-1 px-2.5 text-xs font-medium text-ink-faint">
          Settings
        </h2>
        <Places places={shown(SETTINGS)} onFollow={onFollow} labelledBy="rail-settings" />
      </div>
    </nav>
  );
}

interface PlacesProps {
  readonly places: readonly Place[];
  readonly onFollow: (() => void) | undefined;
  readonly labelledBy?: string;
}

function Places({ places, onFollow, labelledBy }: PlacesProps) {
  const [path] = useLocation();
  return (
    <ul aria-labelledby={labelledBy} className="flex flex-col gap-0.5">
      {places.map(({ href, label, icon: Icon }) => (
        <li key={href}>
          <Link href={href} aria-current={isAt(path, href) ? "page" : undefined} onClick={onFollow} className={PLACE}>
            <Icon aria-hidden="true" className="size-4 shrink-0" />
            {label}
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** By the attribute, which the service writes into what index.html draws (pages/static.ts). */
const PLACE = clsx(
  "flex min-h-8.5 items-center gap-2.5 rounded-md px-2.5 font-medium transition-colors duration-100 max-lg:min-h-10",
  "text-ink-soft not-aria-[current=page]:hover:bg-hover not-aria-[current=page]:hover:text-ink",
  "aria-[current=page]:bg-accent-soft aria-[current=page]:text-accent",
);

/** The tabs of a frame (web/embed.ts), in place of the column. */
export function FrameTabs() {
  const [path] = useLocation();
  const places = usePlaces();
  const tabs = TABS.flatMap((address) => places.filter(({ href }) => href === address));
  if (tabs.length < 2) return null;
  return (
    <nav aria-label="Main" className="mb-5">
      <ul className={TAB_LIST}>
        {tabs.map(({ href, label }) => (
          <li key={href}>
            <Link href={href} aria-current={isAt(path, href) ? "page" : undefined} className={TAB}>
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/* The name with its mark: ours is a bell, and the wire it rings. */

export function Brand() {
  return (
    <Link href="/" aria-label={`${BRAND_NAME}, overview`} className="flex items-center gap-2 rounded-md font-semibold">
      {BRAND_LOGO === null ? <OurMark /> : <img src={BRAND_LOGO} alt="" className="size-7" />}
      <span className="text-lg tracking-tight">{BRAND_NAME}</span>
    </Link>
  );
}

function OurMark() {
  return (
    <svg aria-hidden="true" viewBox="0 0 32 32" className="size-7">
      <rect width="32" height="32" rx="8" className="fill-accent-solid" />
      <g fill="none" className="stroke-on-solid" strokeWidth="2" strokeLinecap="round" strokeLinejoin="round">
        <path d="M10 20.5c1.3-1.4 1.7-2.9 1.7-5.3a4.3 4.3 0 0 1 8.6 0c0 2.4.4 3.9 1.7 5.3Z" />
        <path d="M14.2 24h3.6" />
        <path d="M6.8 13.2a9.5 9.5 0 0 1 2.6-5M25.2 13.2a9.5 9.5 0 0 0-2.6-5" opacity="0.7" />
      </g>
    </svg>
  );
}

/* The account, the person who looks at it, and their role. */

export function Who() {
  const { account, person, role } = useSession();
  return (
    <dl className="min-w-0 text-sm">
      <dt className="sr-only">Account</dt>
      <dd className="font-medium" title={account.name}>
        <Cut>{account.name}</Cut>
      </dd>
      <dt className="sr-only">Signed in as</dt>
      <dd className="truncate text-ink-soft" title={person}>
        {person}
      </dd>
      <dt className="sr-only">Role</dt>
      <dd className="text-ink-soft">{role === "owner" ? "Owner" : "Viewer: may look, not change"}</dd>
    </dl>
  );
}
