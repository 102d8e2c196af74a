/** Settings beyond the plan are shown and explained, and cannot be changed; they are never hidden. */
import { Lock } from "lucide-react";
import type { ReactNode } from "react";
import { useSession } from "../query.ts";
import { Banner } from "./banner.tsx";
import { OutsideLink, TEXT_LINK } from "./links.tsx";

interface Props {
  /** Why it cannot be used, in words; `null` when it can. */
  readonly reason: string | null;
  readonly title: string;
  readonly children: ReactNode;
}

/** The way to another plan: the operator's link, or whom to ask. */
export function Upgrade() {
  const { upgradeUrl } = useSession();
  if (upgradeUrl === null) return <>To change the plan, ask the people who run this service.</>;
  if (!upgradeUrl.startsWith("mailto:")) return <OutsideLink url={upgradeUrl} label="Change the plan" />;
  return (
    <a href={upgradeUrl} className={TEXT_LINK}>
      Write to change the plan
    </a>
  );
}

export function PlanGate({ reason, title, children }: Props) {
  if (reason === null) return <>{children}</>;
  return (
    <div className="space-y-4">
      <Banner tone="info" icon={Lock} title={title}>
        {reason} <Upgrade />
      </Banner>
      {/* One attribute makes every control inside read-only, those too that are added one day. */}
      <fieldset disabled className="min-w-0">
        <legend className="sr-only">{title}</legend>
        {children}
      </fieldset>
    </div>
  );
}
