/** The rail's links: where the reader is, is marked for the eye and for readers of the screen. */
import clsx from "clsx";
import {
  Bell,
  Bot,
  Braces,
  FlaskConical,
  Gauge,
  KeyRound,
  type LucideIcon,
  Send,
  UserRound,
  Users,
} from "lucide-react";
import { Link, useLocation } from "wouter";
import { useSession } from "../session.ts";

interface Place {
  readonly href: string;
  readonly label: string;
  readonly icon: LucideIcon;
  /** Other addresses that belong to it. */
  readonly also?: string;
}

const WORK: readonly Place[] = [
  { href: "/", label: "Overview", icon: Gauge },
  { href: "/audience/sessions", label: "Sessions", icon: Users },
  { href: "/assistants", label: "Assistants", icon: Bot },
  { href: "/deliveries", label: "Deliveries", icon: Send, also: "/replays" },
  { href: "/events", label: "Event catalog", icon: Braces, also: "/refused-records" },
];
const PLAYGROUND: Place = { href: "/playground", label: "Playground", icon: FlaskConical };
const SETTINGS: readonly Place[] = [
  { href: "/settings/alerts", label: "Alerts", icon: Bell },
  { href: "/settings/verification", label: "Verification", icon: KeyRound },
  { href: "/settings/account", label: "Account", icon: UserRound },
];

export function Navigation({ onFollow }: { readonly onFollow?: () => void }) {
  const { hasPlayground } = useSession();
  return (
    <nav aria-label="Main" className="flex flex-col gap-6 px-3">
      <Places places={hasPlayground ? [...WORK, PLAYGROUND] : WORK} onFollow={onFollow} />
      <div>
        <h2 id="rail-settings" className="mb-1 px-2.5 text-xs font-medium text-ink-faint">
          Settings
        </h2>
        <Places places={SETTINGS} onFollow={onFollow} labelledBy="rail-settings" />
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
      {places.map(({ href, label, icon: Icon, also }) => {
        const isHere = isWithin(path, href) || (also !== undefined && isWithin(path, also));
        return (
          <li key={href}>
            <Link
              href={href}
              aria-current={isHere ? "page" : undefined}
              onClick={onFollow}
              className={clsx(
                "flex min-h-8.5 items-center gap-2.5 rounded-md px-2.5 font-medium transition-colors duration-100",
                "max-md:min-h-10",
                isHere ? "bg-accent-soft text-accent" : "text-ink-soft hover:bg-hover hover:text-ink",
              )}
            >
              <Icon aria-hidden="true" className="size-4 shrink-0" />
              {label}
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

const isWithin = (path: string, href: string): boolean =>
  href === "/" ? path === "/" : path === href || path.startsWith(`${href}/`);
