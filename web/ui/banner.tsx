/** A strip that tells something about the page or a part of it: what is so, why, and the button that helps. */
import clsx from "clsx";
import { CircleAlert, CircleCheck, Info, TriangleAlert } from "lucide-react";
import type { ComponentType, ReactNode } from "react";

export type BannerTone = "info" | "ok" | "warn" | "bad";

interface Props {
  readonly tone: BannerTone;
  readonly title: ReactNode;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
  /** Folds the strip: beside its title, also where its actions have a line of their own. */
  readonly fold?: ReactNode;
  readonly icon?: ComponentType<{ className?: string }>;
  /** `alert` for what has just gone wrong, `status` for what has just changed; nothing for what was so already. */
  readonly role?: "alert" | "status";
  readonly className?: string;
}

const TONES: Readonly<
  Record<BannerTone, { icon: ComponentType<{ className?: string }>; ground: string; mark: string }>
> = {
  info: { icon: Info, ground: "border-info-mark/40 bg-info-soft", mark: "text-info" },
  ok: { icon: CircleCheck, ground: "border-ok-mark/40 bg-ok-soft", mark: "text-ok" },
  warn: { icon: TriangleAlert, ground: "border-warn-mark/40 bg-warn-soft", mark: "text-warn" },
  bad: { icon: CircleAlert, ground: "border-bad-mark/40 bg-bad-soft", mark: "text-bad" },
};

export function Banner({ tone, title, children, actions, fold, icon, role, className }: Props) {
  const { ground, mark, icon: toneIcon } = TONES[tone];
  const Icon = icon ?? toneIcon;
  return (
    <div
      role={role}
      className={clsx("flex flex-wrap items-start gap-x-4 gap-y-2.5 rounded-lg border px-4 py-3", ground, className)}
    >
      <div className={clsx("flex min-w-0 flex-1 gap-2.5", fold === undefined ? "basis-64" : "basis-44")}>
        <span aria-hidden="true" className={clsx("mt-0.5 shrink-0 [&_svg]:size-4", mark)}>
          <Icon />
        </span>
        <div className="min-w-0 [overflow-wrap:anywhere]">
          <p className="font-medium text-ink">{title}</p>
          {children !== undefined && <div className="mt-0.5 text-ink-soft">{children}</div>}
        </div>
      </div>
      {fold !== undefined && <div className="-mt-1 -mr-1.5 shrink-0">{fold}</div>}
      {actions !== undefined && (
        // Below the text where the strip folds: it has all actions of a webhook then, and the text needs its room.
        <div className={clsx("flex flex-wrap gap-2 empty:hidden", fold !== undefined && "basis-full sm:pl-6.5")}>
          {actions}
        </div>
      )}
    </div>
  );
}
