/** One line of two texts, each cut at its own end: as one text they would have the direction of the first. */
import clsx from "clsx";
import { Cut } from "./cut.tsx";

interface Props {
  /** Short, and often in another language than what stands behind it. */
  readonly label: string;
  readonly children: string | null;
}

export function CutBehind({ label, children }: Props) {
  return (
    <span className="flex gap-x-1 text-sm font-normal text-ink-soft">
      <Cut className={clsx(children !== null && "max-w-[65%] shrink-0")}>{label}</Cut>
      {children !== null && " · "}
      {children !== null && <Cut>{children}</Cut>}
    </span>
  );
}
