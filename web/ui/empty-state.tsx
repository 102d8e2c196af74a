/** Nothing here yet, or nothing that matches: a title, a sentence on what this is for, and one way on. */
import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

interface Props {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

export function EmptyState({ icon: Icon, title, children, action }: Props) {
  return (
    <div className="flex flex-col items-center px-6 py-12 text-center">
      <span
        aria-hidden="true"
        className="mb-4 flex size-11 items-center justify-center rounded-full bg-accent-soft text-accent [&_svg]:size-5"
      >
        <Icon />
      </span>
      <h2 className="text-lg font-semibold">{title}</h2>
      <div className="mt-1 max-w-md text-balance text-ink-soft">{children}</div>
      {action !== undefined && <div className="mt-5 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}
